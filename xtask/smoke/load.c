// Loads the library of Kotlin without Java, and asks it for its version of uniffi's interface: `load LIBRARY`.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
  if (count != 2) return 2;
  void *library = dlopen(words[1], RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  unsigned (*version)(void) = (unsigned (*)(void))dlsym(library, "ffi_quorate_kotlin_uniffi_contract_version");
  if (!version) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  printf("contract version %u\n", version());
  return 0;
}
