// A fake libcuda.so.1 of an old driver: its version is all that CUDA asks for.
extern "C" {

int cuDriverGetVersion(int* version) {
    *version = 12040;
    return 0;
}
int cuInit(unsigned) { return 0; }
}
