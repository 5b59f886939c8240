#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes hashsets/trivial.json: files that are evidence of nothing: empty ones, each single byte, line endings, byte order marks,
# and zeros and 0xff in the sizes of sectors, blocks and whole mebibytes.
. "$(dirname "$0")/begin.sh"
mkdir "$folder/trivial"
cd "$folder/trivial"
: >empty
for byte in $(seq 0 255); do
    hex=$(printf '%02x' "$byte")
    # shellcheck disable=SC2059
    printf "\\x$hex" >"byte-$hex"
done
printf '\r\n' >crlf
printf '\n\n' >two-newlines
printf '\357\273\277' >bom-utf8
printf '\377\376' >bom-utf16le
printf '\376\377' >bom-utf16be
printf '{}' >json-object
printf '{}\n' >json-object-newline
printf '[]' >json-list
printf '[]\n' >json-list-newline
printf '#!/bin/sh\n' >shell
printf '#!/bin/bash\n' >bash
printf '<?php\n' >php
for size in 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304; do
    head -c $size /dev/zero >zeros-$size
    tr '\0' '\377' <zeros-$size >ones-$size
done
cd ..
make_set trivial "made by hashsets/trivial.sh" trivial --md5 --sha256 | sed 's/,"blocks":"[0-9a-f]*"//' >"$out"
