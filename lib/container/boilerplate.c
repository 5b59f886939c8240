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
    const char *name;   /* '*' stands for any characters, as in a shell, but also for slashes */
    enum context where; /* after a member "mimetype"; in a stream of a PDF */
    enum reason reason; /* of several rows, the first counts */
} table[] = {
    /* Open Packaging Conventions: OOXML, XPS, NuGet */
    {"zip", "[Content_Types].xml", ANYWHERE, PARTS},
    {"zip", "_rels/*.rels", ANYWHERE, PARTS},
    {"zip", "*/_rels/*.rels", ANYWHERE, PARTS},
    {"zip", "docProps/thumbnail.*", ANYWHERE, MADE},
    {"zip", "docProps/*", ANYWHERE, ABOUT},
    {"zip", "customXml/*", ANYWHERE, LOOK},
    {"zip", "word/theme/*", ANYWHERE, LOOK},
    {"zip", "word/styles.xml", ANYWHERE, LOOK},
    {"zip", "word/stylesWithEffects.xml", ANYWHERE, LOOK},
    {"zip", "word/settings.xml", ANYWHERE, LOOK},
    {"zip", "word/webSettings.xml", ANYWHERE, LOOK},
    {"zip", "word/numbering.xml", ANYWHERE, LOOK},
    {"zip", "word/fontTable.xml", ANYWHERE, LOOK},
    {"zip", "word/fonts/*", ANYWHERE, FONT},
    {"zip", "word/glossary/*", ANYWHERE, LOOK},
    /* their text is in the running text of the document */
    {"zip", "word/footnotes.xml", ANYWHERE, USUAL},
    {"zip", "word/endnotes.xml", ANYWHERE, USUAL},
    {"zip", "word/document.xml", ANYWHERE, MARKUP},
    {"zip", "word/header*.xml", ANYWHERE, MARKUP},
    {"zip", "word/footer*.xml", ANYWHERE, MARKUP},
    {"zip", "word/comments*.xml", ANYWHERE, MARKUP},
    {"zip", "xl/worksheets/*.xml", ANYWHERE, MARKUP},
    {"zip", "xl/sharedStrings.xml", ANYWHERE, MARKUP},
    {"zip", "xl/comments*.xml", ANYWHERE, MARKUP},
    {"zip", "xl/drawings/*.xml", ANYWHERE, MARKUP},
    {"zip", "xl/charts/*.xml", ANYWHERE, MARKUP},
    {"zip", "ppt/slides/*.xml", ANYWHERE, MARKUP},
    {"zip", "ppt/notesSlides/*.xml", ANYWHERE, MARKUP},
    {"zip", "xl/theme/*", ANYWHERE, LOOK},
    {"zip", "xl/styles.xml", ANYWHERE, LOOK},
    {"zip", "xl/workbook.xml", ANYWHERE, PARTS},
    {"zip", "xl/calcChain.xml", ANYWHERE, MADE},
    {"zip", "xl/metadata.xml", ANYWHERE, MADE},
    {"zip", "ppt/theme/*", ANYWHERE, LOOK},
    {"zip", "ppt/slideMasters/*", ANYWHERE, LOOK},
    {"zip", "ppt/slideLayouts/*", ANYWHERE, LOOK},
    {"zip", "ppt/notesMasters/*", ANYWHERE, LOOK},
    {"zip", "ppt/handoutMasters/*", ANYWHERE, LOOK},
    {"zip", "ppt/presProps.xml", ANYWHERE, LOOK},
    {"zip", "ppt/viewProps.xml", ANYWHERE, LOOK},
    {"zip", "ppt/tableStyles.xml", ANYWHERE, LOOK},
    {"zip", "ppt/presentation.xml", ANYWHERE, PARTS},
    {"zip", "ppt/fonts/*", ANYWHERE, FONT},
    /* OpenDocument and EPUB, which begin with "mimetype" */
    {"zip", "mimetype", ANYWHERE, PARTS},
    {"zip", "content.xml", AFTER_TYPE, MARKUP},
    {"zip", "*/content.xml", AFTER_TYPE, MARKUP},
    {"zip", "META-INF/*", AFTER_TYPE, PARTS},
    {"zip", "*meta.xml", AFTER_TYPE, ABOUT},
    {"zip", "manifest.rdf", AFTER_TYPE, PARTS},
    {"zip", "*styles.xml", AFTER_TYPE, LOOK},
    {"zip", "*settings.xml", AFTER_TYPE, LOOK},
    {"zip", "layout-cache", AFTER_TYPE, MADE},
    {"zip", "Configurations2/*", AFTER_TYPE, LOOK},
    {"zip", "Thumbnails/*", AFTER_TYPE, MADE},
    {"zip", "ObjectReplacements/*", AFTER_TYPE, MADE},
    {"zip", "Fonts/*", AFTER_TYPE, FONT},
    {"zip", "*.ttf", AFTER_TYPE, FONT},
    {"zip", "*.otf", AFTER_TYPE, FONT},
    {"zip", "*.woff", AFTER_TYPE, FONT},
    {"zip", "*.woff2", AFTER_TYPE, FONT},
    /* Java, Android */
    {"zip", "META-INF/MANIFEST.MF", ANYWHERE, SIGNATURE},
    {"zip", "META-INF/INDEX.LIST", ANYWHERE, SIGNATURE},
    {"zip", "META-INF/*.SF", ANYWHERE, SIGNATURE},
    {"zip", "META-INF/*.RSA", ANYWHERE, SIGNATURE},
    {"zip", "META-INF/*.DSA", ANYWHERE, SIGNATURE},
    {"zip", "META-INF/*.EC", ANYWHERE, SIGNATURE},
    /* Python */
    {"zip", "*.dist-info/RECORD", ANYWHERE, SIGNATURE},
    {"zip", "*.dist-info/WHEEL", ANYWHERE, SIGNATURE},
    /* Debian */
    {"ar", "debian-binary", ANYWHERE, USUAL},
    /* OLE2: Word, Excel and PowerPoint up to 2003, Outlook */
    {"ole", "*\001CompObj", ANYWHERE, PARTS},
    {"ole", "*\001Ole", ANYWHERE, PARTS},
    {"ole", "*\003ObjInfo", ANYWHERE, PARTS},
    {"ole", "*\005SummaryInformation", ANYWHERE, ABOUT},
    {"ole", "*\005DocumentSummaryInformation", ANYWHERE, ABOUT},
    {"ole", "Workbook", ANYWHERE, MARKUP},
    {"ole", "Book", ANYWHERE, MARKUP},
    {"ole", "0Table", ANYWHERE, LOOK},
    {"ole", "1Table", ANYWHERE, LOOK},
    {"ole", "Current User", ANYWHERE, ABOUT},
    {"ole", "__nameid_version1.0/*", ANYWHERE, PARTS},
    /* PDF */
    {"pdf", "*-*.font", ANYWHERE, FONT},
    {"pdf", "*-*.cmap", ANYWHERE, FONT},
    {"pdf", "*-*.icc", ANYWHERE, LOOK},
    {"pdf", "*-*.xref", ANYWHERE, PARTS},
    /* the names and licences of embedded fonts */
    {"utf16", "*", IN_STREAM, FONT},
    /* pictures and sound */
    {"jpeg", "picture", ANYWHERE, NONE},
    {"jpeg", "after", ANYWHERE, NONE},
    {"jpeg", "*", ANYWHERE, TAGS},
    {"png", "picture", ANYWHERE, NONE},
    {"png", "after", ANYWHERE, NONE},
    {"png", "*", ANYWHERE, TAGS},
    {"mp3", "stream", ANYWHERE, NONE},
    {"mp3", "picture", ANYWHERE, NONE},
    {"mp3", "after", ANYWHERE, NONE},
    {"mp3", "*", ANYWHERE, TAGS},
    {"flac", "stream", ANYWHERE, NONE},
    {"flac", "picture", ANYWHERE, NONE},
    {"flac", "after", ANYWHERE, NONE},
    {"flac", "*", ANYWHERE, TAGS},
    {"ogg", "stream", ANYWHERE, NONE},
    {"ogg", "*", ANYWHERE, TAGS},
    {"wav", "stream", ANYWHERE, NONE},
    {"wav", "after", ANYWHERE, NONE},
    {"wav", "*", ANYWHERE, TAGS},
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
