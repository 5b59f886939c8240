/* SPDX-License-Identifier: Apache-2.0 */
#include "container/container.h"

#include "container/archive.h"
#include "container/document.h"
#include "container/encoded.h"
#include "container/html.h"
#include "container/mail.h"
#include "container/media.h"
#include "container/ole.h"
#include "container/pdf.h"
#include "container/pdf_text.h"
#include "container/prose.h"
#include "container/rtf.h"
#include "container/squashfs.h"
#include "container/unopened.h"
#include "container/warc.h"

const struct container_format *const container_formats[] = {
    &archive_format_zip,
    &archive_format_7z,
    &archive_format_rar,
    &archive_format_cab,
    &archive_format_tar,
    &archive_format_cpio,
    &archive_format_ar,
    &archive_format_rpm,
    &archive_format_iso,
    &archive_format_lha,
    &archive_format_xar,
    &archive_format_gz,
    &archive_format_bz2,
    &archive_format_xz,
    &archive_format_zst,
    &archive_format_lz4,
    &archive_format_lzma,
    &archive_format_lzip,
    &archive_format_z,
    &media_format_jpeg,
    &media_format_png,
    &media_format_mp3,
    &media_format_flac,
    &media_format_ogg,
    &media_format_wav,
    &document_format,
    &html_format,
    &rtf_format,
    &ole_text_format,
    &ole_format,
    &pdf_format,
    &pdf_text_format,
    &warc_format,
    &mail_box_format,
    &mail_format,
    &prose_format,
    &encoded_base64_format,
    &encoded_utf16_format,
    &encoded_utf16_runs_format,
    &unopened_format_pst,
    &unopened_format_image,
    &squashfs_format,
    NULL,
};
