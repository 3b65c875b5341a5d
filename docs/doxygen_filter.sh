#!/bin/sh
# A public header as Doxygen is to see it: the comment at its beginning is the file's documentation, with its examples as code, and the inline
# namespace of the version, which nobody writes, is gone.
exec awk '
  NR == 1 && /^\/\/ / { header = 1; print "/// @file"; sub(/^\/\//, "///"); print; next }
  header && /^\/\/$/ { print "///"; next }
  header && /^\/\/   [^ *|]/ && !list { sub(/^\/\/   /, "///       "); print; next }
  header && /^\/\// { list = /^\/\/   \*/ || (list && /^\/\/     /); sub(/^\/\//, "///"); print; next }
  { header = 0 }
  /^inline namespace RECLOSER_API \{$/ || /^}  \/\/ namespace RECLOSER_API$/ { print ""; next }
  { print }' "$1"
