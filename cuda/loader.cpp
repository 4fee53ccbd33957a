#include "cuda/loader.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <type_traits>

#include "host/errors.hpp"
#include "host/system/driver_libraries.hpp"
#include "host/system/shared_library.hpp"

namespace gpuminer::cuda {
namespace {

std::optional<Api> load_api() {
    const SharedLibrary library(kCudaLibrary);
    if (!library.loaded()) return std::nullopt;
    Api api;
    bool complete = true;
    const auto load = [&](auto& function, const char* symbol) {
        function = library.function<std::remove_reference_t<decltype(function)>>(symbol);
        complete = complete && function != nullptr;
    };
#define GPUMINER_CUDA_LOAD(name, symbol, parameters) load(api.name, #symbol);
    GPUMINER_CUDA_FUNCTIONS(GPUMINER_CUDA_LOAD)
#undef GPUMINER_CUDA_LOAD
    return complete ? std::optional(api) : std::nullopt;
}

}  // namespace

const Api* system_api() {
    static const std::optional<Api> api = load_api();
    return api ? &*api : nullptr;
}

std::string words_of(const Api& api, Result result) {
    const char* text = nullptr;
    const char* name = nullptr;
    if (api.GetErrorString(result, &text) != kSuccess || api.GetErrorName(result, &name) != kSuccess ||
        text == nullptr || name == nullptr)
        return fmt::format("CUDA's result {}", result);
    return fmt::format("{} ({})", text, name);
}

void check(const Api& api, Result result, std::string_view attempt) {
    if (result == kSuccess) return;
    throw DeviceError(fmt::format("{} failed: {}", attempt, words_of(api, result)));
}

void load_module(const Api& api, const void* image, Module* module) {
    char log[1000] = "";
    JitOption names[] = {kJitErrorLog, kJitErrorLogSize};
    void* values[] = {log, std::bit_cast<void*>(sizeof log - 1)};  // a number in a pointer's place, as CUDA has it
    const Result result = api.ModuleLoadDataEx(module, image, 2, names, values);
    if (result == kSuccess) return;
    const std::string said = log[0] == '\0' ? "" : fmt::format("; its compiler says: {}", log);
    throw DeviceError(fmt::format("loading the kernel failed: {}{}", words_of(api, result), said));
}

}  // namespace gpuminer::cuda
