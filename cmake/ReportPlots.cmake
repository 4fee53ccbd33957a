# The library that draws the plots of `gpuminer bench --report`: the parts of D3 (packages node-d3-axis, node-d3-scale,
# node-d3-selection and what they depend on) that the page embeds.
#
# Writes into FOLDER, for each part, d3-PART.js, and d3-licences.txt with the copyright file of each package. All are
# empty where a part is missing: the reports then have tables and no plots.
function(gpuminer_copy_plot_library folder)
  set(parts array collection color interpolate format time time-format scale selection axis)  # as page.html has them
  set(missing "")
  set(licences "")
  foreach(part IN LISTS parts)
    find_file(script d3-${part}.min.js PATHS ${GPUMINER_NODE_MODULES}/d3-${part}/dist
      NO_CACHE NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    find_file(licence copyright PATHS /usr/share/doc/node-d3-${part}
      NO_CACHE NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    if(script AND licence)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${licence})
      set_property(GLOBAL APPEND PROPERTY GPUMINER_EMBEDDED_FILES ${script})  # for the list of what packages contain
      file(READ ${script} ${part}_script)
      file(READ ${licence} text)
      string(APPEND licences "==== d3-${part} ====\n\n${text}\n")
    else()
      list(APPEND missing node-d3-${part})
    endif()
    unset(script)
    unset(licence)
  endforeach()
  if(missing)
    list(JOIN missing ", " names)
    message(WARNING "gpuminer bench --report: no plots, only tables, for want of ${names}")
    set(licences "")
  endif()
  foreach(part IN LISTS parts)
    if(missing)
      set(${part}_script "")
    endif()
    file(CONFIGURE OUTPUT ${folder}/d3-${part}.js CONTENT "@${part}_script@" @ONLY)
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/d3-licences.txt CONTENT "@licences@" @ONLY)
endfunction()
set(GPUMINER_NODE_MODULES /usr/share/nodejs CACHE PATH "Folder with the D3 library for the plots of reports")
