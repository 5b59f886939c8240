/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_QUIRKS_H
#define KITH_QUIRKS_H

/*
 * The known faults of The Sleuth Kit's library that lose or falsify evidence, in the versions that kith
 * accepts (4.11.0 to 4.14), by name.  The code that works around one names it; what the fault is stands here
 * alone.  Crashes and hangs are not listed one by one: libtsk runs in worker processes only, which are
 * replaced, and the object at fault is listed as unreadable (tests/cli/44-ls-mutants.sh).
 *
 * versions: those with the fault; "all" means all that were tested, 4.11.1 and 4.12.1
 * libtsk:   what it does
 * kith:     what kith does instead
 * image:    what shows the fault: of tests/data/images.sh, of tests/data/planted.py, or made by the test
 * test:     what fails without the workaround; of a unit test's file with the name of the test
 *
 * tests/source/quirks.sh checks that the sources and these entries agree.
 */

/* ---- ext2, ext3, ext4 ---- */

/*
 * QUIRK_EXT_EXTENTS
 * versions: all
 * libtsk:   reads files of more than 340 extents as empty
 * kith:     maps the blocks itself
 * image:    images.sh ext4-extents
 * test:     tests/cli/40-ls.sh; tests/unit/test_extmap.c extents_map_what_was_built
 */

/*
 * QUIRK_EXT_TRIPLE_INDIRECT
 * versions: all
 * libtsk:   hangs on files with triple-indirect blocks
 * kith:     maps the blocks itself
 * image:    images.sh ext3-sparse
 * test:     tests/cli/40-ls.sh; tests/unit/test_extmap.c pointers_map_what_was_built
 */

/*
 * QUIRK_EXT_FOLDER_TIME
 * versions: all
 * libtsk:   compares each name of a folder with all names before it, which takes hours in large folders
 * kith:     reads the folder itself
 * image:    made by the test
 * test:     tests/cli/45-ls-million.sh; tests/unit/test_extdir.c
 *           what_was_written_and_deleted_is_told_once_each
 */

/*
 * QUIRK_EXT_META_GROUPS
 * versions: all
 * libtsk:   looks for the descriptors of all groups behind the superblock, where meta_bg has those of the
 *           first ones only
 * kith:     reads no inode and takes no block from the groups after them, reports them, and reads their
 *           blocks as unclaimed; exit status 3
 * image:    planted.py ext4-meta-bg
 * test:     tests/cli/43-ls-quirks.sh
 */

/*
 * QUIRK_EXT_INLINE_EMPTY
 * versions: 4.12.0 and later
 * libtsk:   has no attribute for a file of 0 bytes whose content is in its inode, and calls that an error
 * kith:     lists it as an empty file
 * image:    images.sh ext4-inline
 * test:     tests/cli/40-ls.sh
 */

/*
 * QUIRK_EXT_INLINE_LARGE
 * versions: 4.12.0 and later
 * libtsk:   refuses inline content of more than 868 bytes (inodes of 1 kB and more)
 * kith:     lists the file as unreadable, exit status 3
 * image:    made by the test
 * test:     tests/cli/43-ls-quirks.sh
 */

/* ---- FAT, exFAT ---- */

/*
 * QUIRK_FAT_SHORT_NAME
 * versions: all
 * libtsk:   replaces the bytes of a short name that are not ASCII by "^"
 * kith:     takes the bytes from the folder's entry
 * image:    made by the test
 * test:     tests/cli/40-ls.sh; tests/unit/test_fat.c a_short_name_keeps_its_bytes
 */

/*
 * QUIRK_EXFAT_VALID_LENGTH
 * versions: all
 * libtsk:   reads what lies on the disk after the valid length of a file
 * kith:     reads zeros there, and lists what lies on the disk as slack
 * image:    images.sh exfat-valid
 * test:     tests/cli/40-ls.sh; tests/unit/test_fat.c a_stream_entry_tells_how_much_was_written
 */

/*
 * QUIRK_EXFAT_DELETED
 * versions: all
 * libtsk:   marks the deleted files of exFAT as never used
 * kith:     does not ask for that mark on FAT and exFAT
 * image:    images.sh exfat
 * test:     tests/cli/40-ls.sh
 */

/* ---- NTFS ---- */

/*
 * QUIRK_NTFS_NAME
 * versions: all
 * libtsk:   cuts names after 511 bytes of UTF-8, and has room for 765
 * kith:     reads the names in the record itself
 * image:    made by the test
 * test:     tests/unit/test_ntfs.c the_longest_name_fits
 */

/*
 * QUIRK_NTFS_COMPRESSION_UNIT
 * versions: all
 * libtsk:   gives zeros for some compressed streams that are read from within a compression unit
 * kith:     reads from where a unit begins
 * image:    made by the test
 * test:     tests/unit/test_batch.c content_of_a_file_system_is_read_again_from_there
 */

/*
 * QUIRK_NTFS_BLANK_RECORD
 * versions: all
 * libtsk:   calls records of the MFT damaged that were never written
 * kith:     recognises them by their zeros
 * image:    images.sh ntfs
 * test:     tests/cli/40-ls.sh
 */

/* ---- ISO 9660 ---- */

/*
 * QUIRK_ISO_EXTENTS
 * versions: all
 * libtsk:   lists each extent of a file of more than 4 GiB as a file of the same name
 * kith:     marks the extents that are not the last one as partial
 * image:    made by the test
 * test:     tests/cli/43-ls-quirks.sh
 */

/* ---- any file system ---- */

/*
 * QUIRK_FOLDER_LIMIT
 * versions: 4.12.0 and later
 * libtsk:   cannot open folders of more than a million names (FAT, exFAT, HFS+, UFS, APFS, YAFFS2), or loses
 *           the names after the first million (ISO 9660); fls -r skips them silently
 * kith:     gives libtsk the room that it refuses to ask for, so all names are read; on FAT and exFAT the
 *           search for deleted files without a name still fails, which is reported, exit status 3
 * image:    made by the test
 * test:     tests/cli/45-ls-million.sh
 */

/*
 * QUIRK_ORPHAN_ROOT
 * versions: all
 * libtsk:   waits for a lock of its own for ever when the root has the last inode's number, which is that of
 *           the folder that it makes up for orphans; that is so where it finds no files
 * kith:     does not open that folder, and reports it
 * image:    made by the test
 * test:     tests/cli/43-ls-quirks.sh
 */

/*
 * QUIRK_CLAIMED_SIZE
 * versions: all
 * libtsk:   allocates as many bytes as a damaged file claims to have
 * kith:     gives workers a limit of memory; the file is unreadable
 * image:    images.sh ext4
 * test:     tests/cli/44-ls-mutants.sh
 */

/*
 * QUIRK_TYPE_AMBIGUOUS
 * versions: all
 * libtsk:   opens no file system where several types fit
 * kith:     tries each type, and takes all that open
 * image:    images.sh iso-hfs
 * test:     tests/cli/40-ls.sh
 */

/* ---- disks and their images ---- */

/*
 * QUIRK_TABLE_CUT
 * versions: all
 * libtsk:   takes a partition table for none if a volume begins after the end of the image
 * kith:     asks again, of an image without end, where the disk begins like a table, and reports that it is
 *           cut
 * image:    images.sh disk-dos
 * test:     tests/cli/43-ls-quirks.sh
 */

/*
 * QUIRK_GPT_CHECKSUMS
 * versions: all
 * libtsk:   does not look at the checksums of a GPT
 * kith:     verifies both copies, and shows libtsk the sound one
 * image:    made by the test
 * test:     tests/cli/46-ls-gpt.sh
 */

/*
 * QUIRK_GPT_LEFT_OVER
 * versions: all
 * libtsk:   takes the backup GPT of a disk that has been put to another use since
 * kith:     takes it only where nothing else begins the disk
 * image:    made by the test
 * test:     tests/cli/46-ls-gpt.sh
 */

/*
 * QUIRK_READ_ERRORS
 * versions: all
 * libtsk:   hides read errors in its caches
 * kith:     lets libtsk read through a medium, which notes each unreadable range; calls containers below
 *           libtsk's cache
 * image:    images.sh ext4
 * test:     tests/cli/43-ls-faults.sh
 */

/*
 * QUIRK_EXTERNAL_IMAGE
 * versions: 4.15 and later
 * libtsk:   expects another structure in tsk_img_open_external, without saying so
 * kith:     is not built with that version
 * image:    made by the test
 * test:     tests/source/dependencies.sh
 */

#endif
