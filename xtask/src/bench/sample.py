"""Decodes a sample of an account export's FIT files with Garmin's own SDK, the way its README does.

Usage: sample.py EXPORT.zip NTH

Prints as JSON the bytes of all FIT files, the bytes of the sample, and the CPU seconds for decoding the
sample. Unpacking and starting Python are not measured.
"""

import io
import json
import sys
import tempfile
import time
import zipfile

from garmin_fit_sdk import Decoder, Stream


def fit_files(archive):
    """Every FIT file, also in nested archives."""
    for entry in archive.infolist():
        name = entry.filename.lower()
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(archive.read(entry))) as inner:
                yield from fit_files(inner)
        elif name.endswith(".fit"):
            yield archive, entry


export, nth = sys.argv[1], int(sys.argv[2])
of_all = of_sample = seconds = files = records = 0
with zipfile.ZipFile(export) as archive:
    for place, (holder, entry) in enumerate(fit_files(archive)):
        of_all += entry.file_size
        if place % nth != nth // 2:
            continue
        with tempfile.NamedTemporaryFile() as file:
            file.write(holder.read(entry))
            file.flush()
            started = time.process_time()
            messages, errors = Decoder(Stream.from_file(file.name)).read()
            seconds += time.process_time() - started
        if errors:
            sys.exit(f"{entry.filename}: {errors[0]}")
        records += len(messages.get("record_mesgs", []))
        of_sample += entry.file_size
        files += 1
print(json.dumps({"bytes": of_all, "sample_bytes": of_sample, "files": files, "records": records, "seconds": seconds}))
