// RAII handles of the driver's objects.
#pragma once

#include "cuda/loader.hpp"

namespace gpuminer::cuda {

/// The device's context, which all of a process share, in use by this thread until another is.
class PrimaryContext {
public:
    PrimaryContext(const Api& api, DeviceNumber device) : api_(api), device_(device) {
        check(api_, api_.DevicePrimaryCtxRetain(&context_, device_), "using the device");
    }
    ~PrimaryContext() { (void)api_.DevicePrimaryCtxRelease(device_); }
    PrimaryContext(const PrimaryContext&) = delete;
    PrimaryContext& operator=(const PrimaryContext&) = delete;

    [[nodiscard]] Result use() const { return api_.CtxSetCurrent(context_); }

private:
    const Api& api_;
    const DeviceNumber device_;
    Context context_ = nullptr;
};

/// What only the driver knows, and the function that releases it.
template <class T>
class Owned {
public:
    using Release = Result (*)(T);

    explicit Owned(Release release) : release_(release) {}
    ~Owned() {
        if (value_ != T{}) (void)release_(value_);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    [[nodiscard]] T get() const { return value_; }
    /// For the function that makes it; there is none yet.
    [[nodiscard]] T* out() { return &value_; }

private:
    const Release release_;
    T value_{};
};

}  // namespace gpuminer::cuda
