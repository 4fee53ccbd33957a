// Substitutes for libudev in portable builds, which link hwloc statically: a static hwloc refers to libudev, and
// distributions have no static one. hwloc asks udev only for the vendor names of disks and network cards, which this
// program never wants, and it copes with a system without udev: udev_new() returning null says just that, and the other
// functions are then never called.
struct udev;
struct udev_device;

extern "C" {
udev* udev_new() { return nullptr; }
udev* udev_unref(udev*) { return nullptr; }
udev_device* udev_device_new_from_subsystem_sysname(udev*, const char*, const char*) { return nullptr; }
udev_device* udev_device_unref(udev_device*) { return nullptr; }
const char* udev_device_get_property_value(udev_device*, const char*) { return nullptr; }
}
