# What packages contain beside what is linked: sets embedded_files and objects_by_commands, as words of JSON.
foreach(files IN ITEMS embedded_files objects_by_commands)
  string(TOUPPER GPUMINER_${files} property)
  get_property(${files} GLOBAL PROPERTY ${property})
  list(REMOVE_DUPLICATES ${files})
  list(TRANSFORM ${files} REPLACE ".+" "\"\\0\"")
  list(JOIN ${files} ", " ${files})
endforeach()
