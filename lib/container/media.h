/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEDIA_H
#define KITH_MEDIA_H

#include "container/container.h"

/*
 * Pictures and sound, separated into what is seen or heard and what is said about it, so that a photo or a
 * song is recognised after its tags were changed or removed.  media_X.c has each format, and states its
 * members.
 */
extern const struct container_format media_format_jpeg;
extern const struct container_format media_format_mp3;
extern const struct container_format media_format_flac;
extern const struct container_format media_format_ogg;
extern const struct container_format media_format_png;
extern const struct container_format media_format_wav;

#endif
