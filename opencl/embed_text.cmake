# cmake -D SOURCE=… -D INCLUDES=… -D OUTPUT=… -P embed_text.cmake
#
# Writes a C++ header with the text of SOURCE as string literals, in place of each `#include` the file of that name
# below INCLUDES: a driver compiles text and knows no folders.
file(READ ${SOURCE} text)
string(REGEX MATCHALL "#include \"[^\"\n]+\"" includes "${text}")
foreach(line IN LISTS includes)
  string(REGEX REPLACE "#include \"(.+)\"" "\\1" file "${line}")
  file(READ ${INCLUDES}/${file} content)
  string(REPLACE "${line}\n" ")text\",\n    R\"text(${content})text\",\n    R\"text(" text "${text}")
endforeach()
string(SHA256 hash "${text}")
file(WRITE ${OUTPUT} "// Generated from search.cl by embed_text.cmake.
#pragma once

#include <string_view>

namespace gpuminer::opencl {

/// The pieces of the kernel's text, in order.
inline constexpr std::string_view kSearchText[] = {
    R\"text(${text})text\",
};
inline constexpr std::string_view kSearchTextHash = \"${hash}\";

}  // namespace gpuminer::opencl
")
