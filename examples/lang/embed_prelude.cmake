# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT, a source with the text of INPUT; in pieces, since a string literal has a limit.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND pieces "R\"berth(${piece})berth\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUTPUT} "#include \"translator.hpp\"\nnamespace berth::lang {\nstd::string_view prelude_text() noexcept {\n"
                     "  return {${pieces}};\n}\n}  // namespace berth::lang\n")
