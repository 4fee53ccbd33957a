# The writer of texts that a program carries, as a script for CMake.
#
#     cmake -D SOURCE=… -D INCLUDES=… -D NAMESPACE=… -D NAME=… -D OUTPUT=… -P embed_text.cmake
#
# It writes a C++ header with the text of SOURCE as string literals, in place of each `#include` the file of that name
# beside it or in one of the folders INCLUDES: the pieces in order as NAMESPACE::NAMEText, and the SHA-256 of all as
# NAMESPACE::NAMETextHash.
file(READ ${SOURCE} text)
get_filename_component(folder ${SOURCE} DIRECTORY)
string(REGEX MATCHALL "#include \"[^\"\n]+\"" includes "${text}")
foreach(line IN LISTS includes)
  string(REGEX REPLACE "#include \"(.+)\"" "\\1" file "${line}")
  unset(place)
  find_file(place ${file} PATHS ${folder} ${INCLUDES} REQUIRED NO_CACHE NO_DEFAULT_PATH)
  file(READ ${place} content)
  if(content MATCHES "\\)text\"")
    message(FATAL_ERROR "${file}: expected a text without )text\", the end of a raw string literal")
  endif()
  string(REPLACE "${line}\n" ")text\",\n    R\"text(${content})text\",\n    R\"text(" text "${text}")
endforeach()
string(SHA256 hash "${text}")
get_filename_component(source_name ${SOURCE} NAME)
file(WRITE ${OUTPUT} "// Generated from ${source_name} by embed_text.cmake.
#pragma once

#include <string_view>

namespace ${NAMESPACE} {

/// The pieces of the text, in order.
inline constexpr std::string_view ${NAME}Text[] = {
    R\"text(${text})text\",
};
inline constexpr std::string_view ${NAME}TextHash = \"${hash}\";

}  // namespace ${NAMESPACE}
")
