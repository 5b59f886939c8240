/* SPDX-License-Identifier: Apache-2.0 */
#include "container/boilerplate.h"

#include <string.h>

/* Why a member does not count.  Only MARKUP counts if it is identical. */
enum reason {
    NONE,      /* it does count */
    MARKUP,    /* its text is a member of its own */
    PARTS,     /* it lists the parts of the document */
    LOOK,      /* styles and settings come with the program or a template */
    ABOUT,     /* it is about the document: program, author, times */
    MADE,      /* the program makes it from the document */
    FONT,      /* fonts come with the program or the system */
    SIGNATURE, /* it lists and signs the other members */
    TAGS,      /* it is about the picture or recording */
    USUAL,     /* documents that do not need it have it as well */
};

enum context { ANYWHERE, AFTER_TYPE, IN_STREAM };

static const struct {
    const char *opener;
    enum context where; /* after a member "mimetype"; in a stream of a PDF */
    const char *name;   /* '*' stands for any characters, as in a shell, but also for slashes */
    enum reason reason; /* of several rows, the first counts */
} table[] = {
    /* Open Packaging Conventions: OOXML, XPS, NuGet */
    {"zip", ANYWHERE, "[Content_Types].xml", PARTS},
    {"zip", ANYWHERE, "_rels/*.rels", PARTS},
    {"zip", ANYWHERE, "*/_rels/*.rels", PARTS},
    {"zip", ANYWHERE, "docProps/thumbnail.*", MADE},
    {"zip", ANYWHERE, "docProps/*", ABOUT},
    {"zip", ANYWHERE, "customXml/*", LOOK},
    {"zip", ANYWHERE, "word/theme/*", LOOK},
    {"zip", ANYWHERE, "word/styles.xml", LOOK},
    {"zip", ANYWHERE, "word/stylesWithEffects.xml", LOOK},
    {"zip", ANYWHERE, "word/settings.xml", LOOK},
    {"zip", ANYWHERE, "word/webSettings.xml", LOOK},
    {"zip", ANYWHERE, "word/numbering.xml", LOOK},
    {"zip", ANYWHERE, "word/fontTable.xml", LOOK},
    {"zip", ANYWHERE, "word/fonts/*", FONT},
    {"zip", ANYWHERE, "word/glossary/*", LOOK},
    /* their text is in the running text of the document */
    {"zip", ANYWHERE, "word/footnotes.xml", USUAL},
    {"zip", ANYWHERE, "word/endnotes.xml", USUAL},
    {"zip", ANYWHERE, "word/document.xml", MARKUP},
    {"zip", ANYWHERE, "word/header*.xml", MARKUP},
    {"zip", ANYWHERE, "word/footer*.xml", MARKUP},
    {"zip", ANYWHERE, "word/comments*.xml", MARKUP},
    {"zip", ANYWHERE, "xl/worksheets/*.xml", MARKUP},
    {"zip", ANYWHERE, "xl/sharedStrings.xml", MARKUP},
    {"zip", ANYWHERE, "xl/comments*.xml", MARKUP},
    {"zip", ANYWHERE, "xl/drawings/*.xml", MARKUP},
    {"zip", ANYWHERE, "xl/charts/*.xml", MARKUP},
    {"zip", ANYWHERE, "ppt/slides/*.xml", MARKUP},
    {"zip", ANYWHERE, "ppt/notesSlides/*.xml", MARKUP},
    {"zip", ANYWHERE, "xl/theme/*", LOOK},
    {"zip", ANYWHERE, "xl/styles.xml", LOOK},
    {"zip", ANYWHERE, "xl/workbook.xml", PARTS},
    {"zip", ANYWHERE, "xl/calcChain.xml", MADE},
    {"zip", ANYWHERE, "xl/metadata.xml", MADE},
    {"zip", ANYWHERE, "ppt/theme/*", LOOK},
    {"zip", ANYWHERE, "ppt/slideMasters/*", LOOK},
    {"zip", ANYWHERE, "ppt/slideLayouts/*", LOOK},
    {"zip", ANYWHERE, "ppt/notesMasters/*", LOOK},
    {"zip", ANYWHERE, "ppt/handoutMasters/*", LOOK},
    {"zip", ANYWHERE, "ppt/presProps.xml", LOOK},
    {"zip", ANYWHERE, "ppt/viewProps.xml", LOOK},
    {"zip", ANYWHERE, "ppt/tableStyles.xml", LOOK},
    {"zip", ANYWHERE, "ppt/presentation.xml", PARTS},
    {"zip", ANYWHERE, "ppt/fonts/*", FONT},
    /* OpenDocument and EPUB, which begin with "mimetype" */
    {"zip", ANYWHERE, "mimetype", PARTS},
    {"zip", AFTER_TYPE, "content.xml", MARKUP},
    {"zip", AFTER_TYPE, "*/content.xml", MARKUP},
    {"zip", AFTER_TYPE, "META-INF/*", PARTS},
    {"zip", AFTER_TYPE, "*meta.xml", ABOUT},
    {"zip", AFTER_TYPE, "manifest.rdf", PARTS},
    {"zip", AFTER_TYPE, "*styles.xml", LOOK},
    {"zip", AFTER_TYPE, "*settings.xml", LOOK},
    {"zip", AFTER_TYPE, "layout-cache", MADE},
    {"zip", AFTER_TYPE, "Configurations2/*", LOOK},
    {"zip", AFTER_TYPE, "Thumbnails/*", MADE},
    {"zip", AFTER_TYPE, "ObjectReplacements/*", MADE},
    {"zip", AFTER_TYPE, "Fonts/*", FONT},
    {"zip", AFTER_TYPE, "*.ttf", FONT},
    {"zip", AFTER_TYPE, "*.otf", FONT},
    {"zip", AFTER_TYPE, "*.woff", FONT},
    {"zip", AFTER_TYPE, "*.woff2", FONT},
    /* Java, Android */
    {"zip", ANYWHERE, "META-INF/MANIFEST.MF", SIGNATURE},
    {"zip", ANYWHERE, "META-INF/INDEX.LIST", SIGNATURE},
    {"zip", ANYWHERE, "META-INF/*.SF", SIGNATURE},
    {"zip", ANYWHERE, "META-INF/*.RSA", SIGNATURE},
    {"zip", ANYWHERE, "META-INF/*.DSA", SIGNATURE},
    {"zip", ANYWHERE, "META-INF/*.EC", SIGNATURE},
    /* Python */
    {"zip", ANYWHERE, "*.dist-info/RECORD", SIGNATURE},
    {"zip", ANYWHERE, "*.dist-info/WHEEL", SIGNATURE},
    /* Debian */
    {"ar", ANYWHERE, "debian-binary", USUAL},
    /* OLE2: Word, Excel and PowerPoint up to 2003, Outlook */
    {"ole", ANYWHERE, "*\001CompObj", PARTS},
    {"ole", ANYWHERE, "*\001Ole", PARTS},
    {"ole", ANYWHERE, "*\003ObjInfo", PARTS},
    {"ole", ANYWHERE, "*\005SummaryInformation", ABOUT},
    {"ole", ANYWHERE, "*\005DocumentSummaryInformation", ABOUT},
    {"ole", ANYWHERE, "Workbook", MARKUP},
    {"ole", ANYWHERE, "Book", MARKUP},
    {"ole", ANYWHERE, "0Table", LOOK},
    {"ole", ANYWHERE, "1Table", LOOK},
    {"ole", ANYWHERE, "Current User", ABOUT},
    {"ole", ANYWHERE, "__nameid_version1.0/*", PARTS},
    /* the names and licences of embedded fonts */
    {"utf16", IN_STREAM, "*", FONT},
    /* pictures and sound */
    {"jpeg", ANYWHERE, "picture", NONE},
    {"jpeg", ANYWHERE, "after", NONE},
    {"jpeg", ANYWHERE, "*", TAGS},
    {"png", ANYWHERE, "picture", NONE},
    {"png", ANYWHERE, "after", NONE},
    {"png", ANYWHERE, "*", TAGS},
    {"mp3", ANYWHERE, "stream", NONE},
    {"mp3", ANYWHERE, "picture", NONE},
    {"mp3", ANYWHERE, "after", NONE},
    {"mp3", ANYWHERE, "*", TAGS},
    {"flac", ANYWHERE, "stream", NONE},
    {"flac", ANYWHERE, "picture", NONE},
    {"flac", ANYWHERE, "after", NONE},
    {"flac", ANYWHERE, "*", TAGS},
    {"ogg", ANYWHERE, "stream", NONE},
    {"ogg", ANYWHERE, "*", TAGS},
    {"wav", ANYWHERE, "stream", NONE},
    {"wav", ANYWHERE, "after", NONE},
    {"wav", ANYWHERE, "*", TAGS},
};

/* Goes back to the last star only, so it takes at most the product of the lengths. */
static bool matches(const char *pattern, const char *name, size_t len)
{
    const char *star = NULL, *end = name + len, *from = name;

    while (name < end)
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern && *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool applies(enum context context, const struct boilerplate *container)
{
    return context == ANYWHERE || (context == AFTER_TYPE ? container->has_type : container->is_stream);
}

enum boilerplate_grade boilerplate_of(struct boilerplate *container, const char *opener, size_t opener_len,
                                      const char *name, size_t name_len)
{
    enum { LONGEST = 256 }; /* of the names of parts; what is longer is somebody's file */

    if (name_len > LONGEST)
        return BOILERPLATE_NONE;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].opener) == opener_len && memcmp(table[i].opener, opener, opener_len) == 0 &&
            applies(table[i].where, container) && matches(table[i].name, name, name_len)) {
            container->has_type |= strcmp(table[i].name, "mimetype") == 0;
            return table[i].reason == NONE     ? BOILERPLATE_NONE
                   : table[i].reason == MARKUP ? BOILERPLATE_MARKUP
                                               : BOILERPLATE_ALL;
        }
    return BOILERPLATE_NONE;
}
