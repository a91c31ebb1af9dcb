//! The sample configuration of a proxy: what it must not log, and that it keeps slow clients away.

const NGINX: &str = include_str!("../../../../deploy/nginx.conf");

#[test]
fn nginx_logs_no_query_and_no_secret_in_a_path() {
    let format = NGINX.lines().find(|line| line.starts_with("log_format fitness ")).unwrap();
    let variables: Vec<&str> = format
        .split('$')
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap())
        .collect();
    for variable in variables {
        let known = [
            "remote_addr",
            "time_iso8601",
            "request_method",
            "fitness_path",
            "status",
            "body_bytes_sent",
            "request_time",
        ];
        assert!(known.contains(&variable), "{variable} may hold a secret");
    }
    assert!(NGINX.contains("~^/calendar/  /calendar/...;"), "the path of a calendar is its secret");
    let servers: Vec<&str> = NGINX.split("\nserver {").skip(1).collect();
    assert_eq!(servers.len(), 2);
    for server in servers {
        assert!(server.contains("access_log /var/log/nginx/fitness.access.log fitness;"), "{server}");
        assert!(server.contains("error_log /var/log/nginx/fitness.error.log crit;"), "{server}");
    }
}

#[test]
fn nginx_buffers_requests_bounds_slow_clients_and_names_the_client() {
    for line in [
        "proxy_request_buffering on;",
        "client_header_timeout 15s;",
        "client_body_timeout 15s;",
        "limit_conn fitness_connections ",
        "proxy_set_header X-Forwarded-For $remote_addr;",
    ] {
        assert!(NGINX.contains(line), "{line}");
    }
    assert!(!NGINX.contains("proxy_request_buffering off"));
}
