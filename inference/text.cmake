set(INFERENCE_TEXT ir.cpp operations.cpp lexer.cpp type_reader.cpp token_reader.cpp body_parser.cpp parser.cpp dominators.cpp
                   statement_rules.cpp verifier.cpp printer.cpp builder.cpp)
