#include "baremetal/volume.hpp"

namespace gpuminer::baremetal {

using namespace uefi;

Volume::Volume(const Firmware& firmware) {
    auto* const system = firmware.protocol_of<SimpleFileSystem>(firmware.volume());
    if (system != nullptr) status_ = system->open_volume(system, &root_);
    if (failed(status_)) root_ = nullptr;
}

Volume::~Volume() {
    if (root_ != nullptr) (void)root_->close(root_);
}

Status Volume::read(const Char16* name, char* buffer, std::size_t capacity, std::size_t& size) const {
    if (root_ == nullptr) return status_;
    File* file = nullptr;
    Status status = root_->open(root_, &file, name, kFileRead, 0);
    if (failed(status)) return status;
    size = 0;
    while (size <= capacity) {
        std::size_t part = capacity + 1 - size;
        status = file->read(file, &part, buffer + size);
        if (failed(status) || part == 0) break;
        size += part;
    }
    (void)file->close(file);
    return !failed(status) && size > capacity ? kBufferTooSmall : status;
}

Status Volume::write(const Char16* name, const char* text, std::size_t size) const {
    if (root_ == nullptr) return status_;
    remove(name);  // a shorter file than the one before would keep the end of that
    File* file = nullptr;
    Status status = root_->open(root_, &file, name, kFileRead | kFileWrite | kFileCreate, 0);
    if (failed(status)) return status;
    std::size_t written = size;
    status = file->write(file, &written, text);
    if (!failed(status) && written < size) status = kVolumeFull;
    if (!failed(status)) status = file->flush(file);
    if (failed(status)) {
        (void)file->remove(file);
        return status;
    }
    return file->close(file);
}

void Volume::remove(const Char16* name) const {
    File* file = nullptr;
    if (root_ != nullptr && !failed(root_->open(root_, &file, name, kFileRead | kFileWrite, 0)))
        (void)file->remove(file);
}

}  // namespace gpuminer::baremetal
