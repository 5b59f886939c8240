/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_QUIRKS_H
#define KITH_QUIRKS_H

/*
 * Known faults in The Sleuth Kit's library that lose or falsify evidence, in the versions that kith accepts
 * (4.11.0 to 4.14), each with a name.  The code that works around a fault refers to it by name; only this
 * file describes it.  Individual crashes and hangs are not listed: libtsk runs only in worker processes,
 * which are replaced, and the object concerned is listed as unreadable (tests/cli/44-ls-mutants.sh).
 *
 * versions: the affected ones; "all" means all that were tested, 4.11.1 and 4.12.1
 * libtsk:   what it does
 * kith:     what kith does instead
 * image:    an image that shows the fault: from tests/data/images.sh or tests/data/planted.py, or made by the
 *           test
 * test:     the test that fails without the workaround; for a unit test, its file and its name
 *
 * tests/source/quirks.sh checks that the sources agree with these entries.
 */

/* ---- ext2, ext3, ext4 ---- */

/*
 * QUIRK_EXT_EXTENTS
 * versions: all
 * libtsk:   reads files with more than 340 extents as empty
 * kith:     maps the blocks itself
 * image:    images.sh ext4-extents
 * test:     tests/cli/40-ls.sh; tests/unit/test_extmap.c extents_map_what_the_builder_wrote
 */

/*
 * QUIRK_EXT_TRIPLE_INDIRECT
 * versions: all
 * libtsk:   hangs on files with triple-indirect blocks
 * kith:     maps the blocks itself
 * image:    images.sh ext3-sparse
 * test:     tests/cli/40-ls.sh; tests/unit/test_extmap.c pointers_map_what_the_builder_wrote
 */

/*
 * QUIRK_EXT_FOLDER_TIME
 * versions: all
 * libtsk:   compares each name in a folder with all earlier names, which takes hours for large folders
 * kith:     reads the folder itself
 * image:    made by the test
 * test:     tests/cli/45-ls-million.sh; tests/unit/test_extdir.c
 *           every_name_in_use_or_deleted_is_reported_once
 */

/*
 * QUIRK_EXT_META_GROUPS
 * versions: all
 * libtsk:   looks for the descriptors of all groups after the superblock, but with meta_bg only those of the
 *           first groups are there
 * kith:     reports the later groups, takes neither inodes nor blocks from them, and reads their blocks as
 *           unclaimed; exit status 3
 * image:    planted.py ext4-meta-bg
 * test:     tests/cli/43-ls-quirks.sh
 */

/*
 * QUIRK_EXT_INLINE_EMPTY
 * versions: 4.12.0 and later
 * libtsk:   has no attribute for an empty file with inline content, and reports an error
 * kith:     lists it as an empty file
 * image:    images.sh ext4-inline
 * test:     tests/cli/40-ls.sh
 */

/*
 * QUIRK_EXT_INLINE_LARGE
 * versions: 4.12.0 and later
 * libtsk:   rejects inline content of more than 868 bytes (possible with inodes of 1 kB and more)
 * kith:     lists the file as unreadable, exit status 3
 * image:    made by the test
 * test:     tests/cli/43-ls-quirks.sh
 */

/* ---- FAT, exFAT ---- */

/*
 * QUIRK_FAT_SHORT_NAME
 * versions: all
 * libtsk:   replaces non-ASCII bytes in short names by "^"
 * kith:     takes the bytes from the folder entry
 * image:    made by the test
 * test:     tests/cli/40-ls.sh; tests/unit/test_fat.c a_short_name_keeps_its_bytes
 */

/*
 * QUIRK_EXFAT_VALID_LENGTH
 * versions: all
 * libtsk:   reads whatever is on the disk after the valid length of a file
 * kith:     reads zeros there, and lists what is on the disk as slack
 * image:    images.sh exfat-valid
 * test:     tests/cli/40-ls.sh; tests/unit/test_fat.c a_stream_entry_states_the_valid_length
 */

/*
 * QUIRK_EXFAT_DELETED
 * versions: all
 * libtsk:   marks deleted files on exFAT as never used
 * kith:     ignores that mark on FAT and exFAT
 * image:    images.sh exfat
 * test:     tests/cli/40-ls.sh
 */

/* ---- NTFS ---- */

/*
 * QUIRK_NTFS_NAME
 * versions: all
 * libtsk:   truncates names to 511 bytes of UTF-8, although it has room for 765
 * kith:     reads the names from the record itself
 * image:    made by the test
 * test:     tests/unit/test_ntfs.c the_longest_name_fits
 */

/*
 * QUIRK_NTFS_COMPRESSION_UNIT
 * versions: all
 * libtsk:   returns zeros for some compressed streams if a read begins within a compression unit
 * kith:     begins reads at the start of a unit
 * image:    made by the test
 * test:     tests/unit/test_batch.c file_system_content_is_reread_through_the_file_system
 */

/*
 * QUIRK_NTFS_BLANK_RECORD
 * versions: all
 * libtsk:   reports MFT records that were never written as damaged
 * kith:     recognises them by their zeros
 * image:    images.sh ntfs
 * test:     tests/cli/40-ls.sh
 */

/* ---- ISO 9660 ---- */

/*
 * QUIRK_ISO_EXTENTS
 * versions: all
 * libtsk:   lists each extent of a file of more than 4 GiB as a separate file with the same name
 * kith:     marks all extents except the last one as partial
 * image:    made by the test
 * test:     tests/cli/43-ls-quirks.sh
 */

/* ---- any file system ---- */

/*
 * QUIRK_FOLDER_LIMIT
 * versions: 4.12.0 and later
 * libtsk:   cannot open folders of more than a million names (FAT, exFAT, HFS+, UFS, APFS, YAFFS2), or loses
 *           the names after the first million (ISO 9660); fls -r skips them silently
 * kith:     provides the memory that libtsk refuses to allocate, so that all names are read; on FAT and exFAT
 *           the search for deleted files without a name still fails, which is reported, exit status 3
 * image:    made by the test
 * test:     tests/cli/45-ls-million.sh
 */

/*
 * QUIRK_ORPHAN_ROOT
 * versions: all
 * libtsk:   deadlocks on its own lock if the root is the last inode, because that is also the number of its
 *           virtual folder of orphans; this is the case where it finds no files
 * kith:     does not open that folder, and reports that
 * image:    made by the test
 * test:     tests/cli/43-ls-quirks.sh
 */

/*
 * QUIRK_CLAIMED_SIZE
 * versions: all
 * libtsk:   allocates the size that a damaged file claims to have
 * kith:     limits the memory of workers; the file is listed as unreadable
 * image:    images.sh ext4
 * test:     tests/cli/44-ls-mutants.sh
 */

/*
 * QUIRK_TYPE_AMBIGUOUS
 * versions: all
 * libtsk:   opens no file system if several types match
 * kith:     tries each type, and uses all that can be opened
 * image:    images.sh iso-hfs
 * test:     tests/cli/40-ls.sh
 */

/* ---- disks and their images ---- */

/*
 * QUIRK_TABLE_CUT
 * versions: all
 * libtsk:   ignores a partition table if a volume begins after the end of the image
 * kith:     if the disk begins like a table, tries again with an image of unlimited size, and reports that
 *           the image is truncated
 * image:    images.sh disk-dos
 * test:     tests/cli/43-ls-quirks.sh
 */

/*
 * QUIRK_GPT_CHECKSUMS
 * versions: all
 * libtsk:   does not verify the checksums of a GPT
 * kith:     verifies both copies, and shows libtsk the intact one
 * image:    made by the test
 * test:     tests/cli/46-ls-gpt.sh
 */

/*
 * QUIRK_GPT_LEFT_OVER
 * versions: all
 * libtsk:   uses the backup GPT left on a disk that has since been put to another use
 * kith:     uses it only if nothing else is recognized at the start of the disk
 * image:    made by the test
 * test:     tests/cli/46-ls-gpt.sh
 */

/*
 * QUIRK_READ_ERRORS
 * versions: all
 * libtsk:   hides read errors in its caches
 * kith:     makes libtsk read through a medium, which records each unreadable range; reads containers below
 *           libtsk's cache
 * image:    images.sh ext4
 * test:     tests/cli/43-ls-faults.sh
 */

/*
 * QUIRK_EXTERNAL_IMAGE
 * versions: 4.15 and later
 * libtsk:   expects a different structure in tsk_img_open_external, without notice
 * kith:     refuses to be built with that version
 * image:    made by the test
 * test:     tests/source/dependencies.sh
 */

#endif
