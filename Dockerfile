# syntax=docker/dockerfile:1
# The server as an image: docker build -t local-fitness .
# It runs as nobody in particular (65532), keeps everything in /data, and wants nothing else to be writable but /tmp.

# Where the program comes from: `source` builds it here; `released` takes the one that a release packed, from dist/ARCHITECTURE/fitness.
ARG PROGRAM=source

FROM rust:1-slim-bookworm AS compiler
WORKDIR /src
# First only what names the dependencies, so that they are built again only when they change.
COPY Cargo.toml Cargo.lock ./
COPY crates/fitness-coach/Cargo.toml crates/fitness-coach/
COPY crates/fitness-core/Cargo.toml crates/fitness-core/
COPY crates/fitness-ingest/Cargo.toml crates/fitness-ingest/
COPY crates/fitness-mcp/Cargo.toml crates/fitness-mcp/
COPY crates/fitness-demo/Cargo.toml crates/fitness-demo/
COPY crates/fitness-http/Cargo.toml crates/fitness-http/
COPY crates/fitness-sources/Cargo.toml crates/fitness-sources/
COPY crates/fitness-store/Cargo.toml crates/fitness-store/
COPY crates/fitness-web/Cargo.toml crates/fitness-web/
COPY crates/local-fitness/Cargo.toml crates/local-fitness/
COPY xtask/Cargo.toml xtask/
RUN for crate in crates/fitness-*; do mkdir "$crate/src" && : > "$crate/src/lib.rs"; done \
    && for crate in crates/local-fitness xtask; do mkdir "$crate/src" && echo 'fn main() {}' > "$crate/src/main.rs"; done \
    && cargo build --locked --profile dist -p local-fitness
COPY prompts prompts
COPY crates crates
# What was copied is older than what was just built; cargo goes by that.
RUN find crates -name '*.rs' -exec touch {} + \
    && cargo build --locked --profile dist -p local-fitness

FROM scratch AS source
COPY --from=compiler /src/target/dist/fitness /fitness

FROM scratch AS released
ARG TARGETARCH
COPY dist/${TARGETARCH}/fitness /fitness

# hadolint ignore=DL3006
FROM ${PROGRAM} AS program

FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS bones
RUN install -d /bones/data

# No shell and no package manager; certificates of the net's authorities, for whoever connects a service.
FROM gcr.io/distroless/cc-debian12:nonroot
LABEL org.opencontainers.image.title="local-fitness" \
      org.opencontainers.image.description="The endurance coach you run at home" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/local-fitness/local-fitness"
COPY --from=program /fitness /usr/local/bin/fitness
COPY --from=bones --chown=65532:65532 /bones/data /data
ENV HOME=/data \
    FITNESS_DB=/data/fitness.db \
    FITNESS_BACKUPS=/data/backups
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["fitness", "health"]
ENTRYPOINT ["fitness"]
# Inside a container loopback is the container's own, so it listens to all; without TLS in front of it, and FITNESS_SITE to say where
# that is, it refuses to.
CMD ["serve", "--no-open", "--bind", "0.0.0.0", "--behind-proxy"]
