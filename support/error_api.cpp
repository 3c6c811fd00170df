// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions of berth/error.h.
#include "berth/error.h"

#include "support/error.hpp"

extern "C" {

berth_code_t berth_error_code(const berth_error_t* error) { return error ? error->code : BERTH_OK; }
const char* berth_error_message(const berth_error_t* error) { return error ? error->message.c_str() : ""; }
const char* berth_error_details_json(const berth_error_t* error) {
  return error && !error->details.empty() ? error->details.c_str() : "{}";
}
void berth_error_delete(berth_error_t* error) { berth::delete_error(error); }

}  // extern "C"
