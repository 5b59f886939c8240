/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CRC_H
#define KITH_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continues a CRC-32C (Castagnoli, RFC 3720) over len more bytes; start with 0. */
uint32_t crc_update(uint32_t crc, const void *data, size_t len);

#endif
