// The library that Rust's standard library takes random bytes from on Windows, for versions of Wine that lack it.
__declspec(dllimport) unsigned char SystemFunction036(void *buffer, unsigned long length);

__declspec(dllexport) int ProcessPrng(unsigned char *buffer, unsigned long long length) {
  while (length > 0) {
    unsigned long part = length < 0x10000 ? (unsigned long)length : 0x10000;
    if (!SystemFunction036(buffer, part)) return 0;
    buffer += part;
    length -= part;
  }
  return 1;
}
