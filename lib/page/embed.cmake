# cmake -D OUTPUT=assets.cc -P embed.cmake FILE...: writes the files' bytes as C++ (src/assets.h).
set(files)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(seen_script)
    list(APPEND files "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "-P")
    set(after_p ON)
  elseif(after_p)
    set(seen_script ON)
  endif()
endforeach()

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

set(arrays "")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  get_filename_component(extension ${file} LAST_EXT)
  string(SUBSTRING ${extension} 1 -1 extension)
  if(NOT DEFINED type_${extension})
    message(FATAL_ERROR "${file}: no media type is known for .${extension}")
  endif()
  string(MAKE_C_IDENTIFIER ${name} symbol)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char k_${symbol}[] = {${bytes}};\n")
  string(APPEND entries "    {\"/${name}\", \"${type_${extension}}\", {k_${symbol}, sizeof(k_${symbol})}},\n")
endforeach()

file(WRITE ${OUTPUT} "#include \"assets.h\"

namespace recloser::page {
namespace {

${arrays}
constexpr Asset kAssets[] = {
${entries}};

}  // namespace

absl::Span<const Asset> Assets() { return kAssets; }

}  // namespace recloser::page
")
