// A libcuda.so.1 as an old driver has it: all that CUDA asks of it is its version.
extern "C" {

int cuDriverGetVersion(int* version) {
    *version = 12040;
    return 0;
}
int cuInit(unsigned) { return 0; }
}
