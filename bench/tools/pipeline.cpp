// gpuminer-bench-pipeline: what a Vulkan driver's compiler makes of a shader, by its own statistics and assembly. Needs
// no GPU where the driver has a null device; opens the loader at run time, so that it also runs on another system's
// root.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <vulkan/vulkan_raii.hpp>

namespace {

constexpr const char* kUsage =
    "usage: gpuminer-bench-pipeline SPIRV GROUP\n"
    "Makes a pipeline of the shader with that work group on the first device, and prints the driver's name, its\n"
    "statistics (name, tab, number) and, after a line \"assembly\", its machine code.\n";

vk::raii::Context open_loader() {
    void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error("there is no Vulkan loader (libvulkan.so.1)");
    return vk::raii::Context(reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr")));
}

std::vector<std::uint32_t> words_of(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.empty()) throw std::runtime_error(std::string("cannot read ") + path);
    std::vector<std::uint32_t> words(bytes.size() / 4);
    bytes.copy(reinterpret_cast<char*>(words.data()), words.size() * 4);
    return words;
}

vk::raii::Device make_device(const vk::raii::PhysicalDevice& physical) {
    const float priority = 1;
    const vk::DeviceQueueCreateInfo queue({}, 0, 1, &priority);
    const std::vector<const char*> extensions = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME};
    const vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR says_what_it_compiles(true);
    return {physical, vk::DeviceCreateInfo({}, queue, {}, extensions, nullptr, &says_what_it_compiles)};
}

vk::raii::Pipeline make_pipeline(const vk::raii::Device& device, const vk::raii::PipelineLayout& layout,
                                 const std::vector<std::uint32_t>& code, std::uint32_t group) {
    const vk::raii::ShaderModule module(device, vk::ShaderModuleCreateInfo({}, code));
    const vk::SpecializationMapEntry entry(0, 0, sizeof group);
    const vk::SpecializationInfo specialization(1, &entry, sizeof group, &group);
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module, "main",
                                                  &specialization);
    const auto flags = vk::PipelineCreateFlagBits::eCaptureStatisticsKHR |
                       vk::PipelineCreateFlagBits::eCaptureInternalRepresentationsKHR;
    return {device, nullptr, vk::ComputePipelineCreateInfo(flags, stage, *layout)};
}

void print_statistics(const vk::raii::Device& device, const vk::PipelineExecutableInfoKHR& executable) {
    for (const auto& statistic : device.getPipelineExecutableStatisticsKHR(executable)) {
        std::cout << statistic.name.data() << '\t';
        if (statistic.format == vk::PipelineExecutableStatisticFormatKHR::eFloat64)
            std::cout << statistic.value.f64 << '\n';
        else
            std::cout << statistic.value.u64 << '\n';
    }
}

/// The last of the driver's representations.
void print_assembly(const vk::raii::Device& device, const vk::PipelineExecutableInfoKHR& executable) {
    const auto get = device.getDispatcher()->vkGetPipelineExecutableInternalRepresentationsKHR;
    const auto& info = static_cast<const VkPipelineExecutableInfoKHR&>(executable);
    std::uint32_t count = 0;
    if (get(*device, &info, &count, nullptr) != VK_SUCCESS || count == 0)
        throw std::runtime_error("the driver shows no machine code");
    std::vector<vk::PipelineExecutableInternalRepresentationKHR> found(count);
    auto* const raw = reinterpret_cast<VkPipelineExecutableInternalRepresentationKHR*>(found.data());
    (void)get(*device, &info, &count, raw);  // their sizes
    std::vector<std::string> texts;
    for (auto& one : found) {
        texts.emplace_back(one.dataSize, '\0');
        one.pData = texts.back().data();
    }
    if (get(*device, &info, &count, raw) != VK_SUCCESS) throw std::runtime_error("the driver shows no machine code");
    std::cout << "assembly\n" << texts.back().c_str() << '\n';
}

void run(const char* path, std::uint32_t group) {
    const vk::raii::Context context = open_loader();
    const vk::ApplicationInfo application("gpuminer", 0, "gpuminer", 0, VK_API_VERSION_1_1);
    const vk::raii::Instance instance(context, vk::InstanceCreateInfo({}, &application));
    const vk::raii::PhysicalDevice physical = vk::raii::PhysicalDevices(instance).front();
    const auto properties =
        physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceDriverProperties>();
    const auto& driver = properties.get<vk::PhysicalDeviceDriverProperties>();
    std::cout << driver.driverName.data() << '\t' << driver.driverInfo.data() << '\n';

    const vk::raii::Device device = make_device(physical);
    const auto kCompute = vk::ShaderStageFlagBits::eCompute;
    const std::vector<vk::DescriptorSetLayoutBinding> bindings = {{0, vk::DescriptorType::eUniformBuffer, 1, kCompute},
                                                                  {1, vk::DescriptorType::eStorageBuffer, 1, kCompute}};
    const vk::raii::DescriptorSetLayout set(device, vk::DescriptorSetLayoutCreateInfo({}, bindings));
    const vk::raii::PipelineLayout layout(device, vk::PipelineLayoutCreateInfo({}, *set));
    const vk::raii::Pipeline pipeline = make_pipeline(device, layout, words_of(path), group);
    const vk::PipelineExecutableInfoKHR executable(*pipeline, 0);
    print_statistics(device, executable);
    print_assembly(device, executable);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << kUsage;
        return 1;
    }
    try {
        run(argv[1], static_cast<std::uint32_t>(std::atoi(argv[2])));
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "gpuminer-bench-pipeline: " << error.what() << '\n';
        return 1;
    }
}
