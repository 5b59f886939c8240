/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DOCUMENT_H
#define KITH_DOCUMENT_H

#include "container/container.h"

/*
 * The running text of documents that are zip archives of XML: Office Open XML (docx, xlsx, pptx),
 * OpenDocument (odt, ods, odp) and EPUB.  Paragraphs, line breaks and cells of tables in texts are lines; a
 * row of a spreadsheet is a line, with its cells separated by spaces.
 *
 * The parts come in the order of the document whatever their order in the archive: for texts the body,
 * footnotes, endnotes, comments, headers and footers; slides, and then their notes, by number; sheets by
 * number, with their strings where they are used; the chapters of a book in the order of its spine.
 *
 * What interrupts the text around it follows at the end: footnotes and comments of OpenDocument, text boxes,
 * and text that was deleted while changes were recorded; and then strings that no cell of a workbook uses any
 * more.
 */
extern const struct container_format document_format;

#endif
