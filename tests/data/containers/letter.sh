#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes letter.doc from letter.html, as LibreOffice 7.4 does.
set -eu
cd "$(dirname "$0")"
soffice --headless --convert-to 'doc:MS Word 97' letter.html
