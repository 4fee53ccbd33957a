// Stands for the built-in functions of OpenCL C that opencl/search.cl calls, so that clang compiles it for AMD's GPUs
// without the library of ROCm that has them: by count the results agree.
#define BUILTIN static __attribute__((overloadable, always_inline))
BUILTIN uint rotate(uint x, uint n) { return x << (n & 31) | x >> (-n & 31); }
BUILTIN uint min(uint x, uint y) { return x < y ? x : y; }
BUILTIN uint mul_hi(uint x, uint y) { return (uint)((ulong)x * y >> 32); }
BUILTIN size_t get_local_id(uint dimension) { return __builtin_amdgcn_workitem_id_x(); }
BUILTIN size_t get_global_id(uint dimension) {
    return __builtin_amdgcn_workgroup_id_x() * GROUP + __builtin_amdgcn_workitem_id_x();
}
BUILTIN uint atomic_inc(volatile __global uint* place) { return __atomic_fetch_add(place, 1u, __ATOMIC_RELAXED); }
