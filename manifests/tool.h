/* The program's own name and version, as --version, manifests and provenance state it. */
#ifndef MANIFESTS_TOOL_H
#define MANIFESTS_TOOL_H

#define TOOL_VERSION "0.1.0"
#define TOOL "gpkg-bundle " TOOL_VERSION

#endif
