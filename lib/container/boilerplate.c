/* SPDX-License-Identifier: Apache-2.0 */
#include "container/boilerplate.h"

#include <string.h>

static const char parts[] = "it lists the parts of the document";
static const char look[] = "styles and settings come with the program or a template";
static const char about[] = "it is about the document: program, author, times";
static const char made[] = "the program makes it from the document";
static const char font[] = "fonts come with the program or the system";
static const char signature[] = "it lists and signs the other members";
static const char tags[] = "it is about the picture or recording";

static const struct {
    const char *opener;
    bool is_typed;      /* only after a member "mimetype" */
    const char *name;   /* '*' stands for any characters, as in a shell, but also for slashes */
    const char *reason; /* NULL: it is none; of several rows, the first counts */
} table[] = {
    /* Open Packaging Conventions: OOXML, XPS, NuGet */
    {"zip", false, "[Content_Types].xml", parts},
    {"zip", false, "_rels/*.rels", parts},
    {"zip", false, "*/_rels/*.rels", parts},
    {"zip", false, "docProps/thumbnail.*", made},
    {"zip", false, "docProps/*", about},
    {"zip", false, "customXml/*", "templates bring it along"},
    {"zip", false, "word/theme/*", look},
    {"zip", false, "word/styles.xml", look},
    {"zip", false, "word/stylesWithEffects.xml", look},
    {"zip", false, "word/settings.xml", look},
    {"zip", false, "word/webSettings.xml", look},
    {"zip", false, "word/numbering.xml", look},
    {"zip", false, "word/fontTable.xml", look},
    {"zip", false, "word/fonts/*", font},
    {"zip", false, "word/glossary/*", look},
    /* their text is in the running text of the document */
    {"zip", false, "word/footnotes.xml", "documents without notes have it as well"},
    {"zip", false, "word/endnotes.xml", "documents without notes have it as well"},
    {"zip", false, "xl/theme/*", look},
    {"zip", false, "xl/styles.xml", look},
    {"zip", false, "xl/workbook.xml", parts},
    {"zip", false, "xl/calcChain.xml", made},
    {"zip", false, "xl/metadata.xml", made},
    {"zip", false, "ppt/theme/*", look},
    {"zip", false, "ppt/slideMasters/*", look},
    {"zip", false, "ppt/slideLayouts/*", look},
    {"zip", false, "ppt/notesMasters/*", look},
    {"zip", false, "ppt/handoutMasters/*", look},
    {"zip", false, "ppt/presProps.xml", look},
    {"zip", false, "ppt/viewProps.xml", look},
    {"zip", false, "ppt/tableStyles.xml", look},
    {"zip", false, "ppt/presentation.xml", parts},
    {"zip", false, "ppt/fonts/*", font},
    /* OpenDocument and EPUB, which begin with "mimetype" */
    {"zip", false, "mimetype", parts},
    {"zip", true, "META-INF/*", parts},
    {"zip", true, "*meta.xml", about},
    {"zip", true, "manifest.rdf", parts},
    {"zip", true, "*styles.xml", look},
    {"zip", true, "*settings.xml", look},
    {"zip", true, "layout-cache", made},
    {"zip", true, "Configurations2/*", look},
    {"zip", true, "Thumbnails/*", made},
    {"zip", true, "ObjectReplacements/*", made},
    {"zip", true, "Fonts/*", font},
    {"zip", true, "*.ttf", font},
    {"zip", true, "*.otf", font},
    {"zip", true, "*.woff", font},
    {"zip", true, "*.woff2", font},
    /* Java, Android */
    {"zip", false, "META-INF/MANIFEST.MF", signature},
    {"zip", false, "META-INF/INDEX.LIST", signature},
    {"zip", false, "META-INF/*.SF", signature},
    {"zip", false, "META-INF/*.RSA", signature},
    {"zip", false, "META-INF/*.DSA", signature},
    {"zip", false, "META-INF/*.EC", signature},
    /* Python */
    {"zip", false, "*.dist-info/RECORD", signature},
    {"zip", false, "*.dist-info/WHEEL", signature},
    /* Debian */
    {"ar", false, "debian-binary", "all packages have the same"},
    /* OLE2: Word, Excel and PowerPoint up to 2003, Outlook */
    {"ole", false, "*\001CompObj", parts},
    {"ole", false, "*\001Ole", parts},
    {"ole", false, "*\003ObjInfo", parts},
    {"ole", false, "*\005SummaryInformation", about},
    {"ole", false, "*\005DocumentSummaryInformation", about},
    {"ole", false, "0Table", look},
    {"ole", false, "1Table", look},
    {"ole", false, "Current User", about},
    {"ole", false, "__nameid_version1.0/*", parts},
    /* pictures and sound */
    {"jpeg", false, "picture", NULL},
    {"jpeg", false, "after", NULL},
    {"jpeg", false, "*", tags},
    {"png", false, "picture", NULL},
    {"png", false, "after", NULL},
    {"png", false, "*", tags},
    {"mp3", false, "stream", NULL},
    {"mp3", false, "picture", NULL},
    {"mp3", false, "after", NULL},
    {"mp3", false, "*", tags},
    {"flac", false, "stream", NULL},
    {"flac", false, "picture", NULL},
    {"flac", false, "after", NULL},
    {"flac", false, "*", tags},
    {"ogg", false, "stream", NULL},
    {"ogg", false, "*", tags},
    {"wav", false, "stream", NULL},
    {"wav", false, "after", NULL},
    {"wav", false, "*", tags},
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

const char *boilerplate_reason(struct boilerplate *container, const char *opener, size_t opener_len,
                               const char *name, size_t name_len)
{
    enum { LONGEST = 256 }; /* of the names of parts; what is longer is somebody's file */

    if (name_len > LONGEST)
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].opener) == opener_len && memcmp(table[i].opener, opener, opener_len) == 0 &&
            (!table[i].is_typed || container->has_type) && matches(table[i].name, name, name_len)) {
            container->has_type |= strcmp(table[i].name, "mimetype") == 0;
            return table[i].reason;
        }
    return NULL;
}
