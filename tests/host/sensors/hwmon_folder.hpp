// A folder like Linux's /sys/class/hwmon, of chips that a test makes.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tests/host/files/temporary_folder.hpp"

namespace gpuminer::test {

class HwmonFolder : public TemporaryFolder {
public:
    /// "hwmon3" of this driver, with these files; of a GPU, its PCI address.
    void chip(const std::string& name, const std::string& driver, const std::map<std::string, std::string>& files,
              const std::string& pci = "") const {
        write(name + "/name", driver + "\n");
        for (const auto& [file, text] : files) write(name + "/" + file, text + "\n");
        if (!pci.empty()) std::filesystem::create_symlink("../../../" + pci, path() / name / "device");
    }
    /// Never half written.
    void set(const std::string& file, const std::string& text) const {
        write("new", text + "\n");
        std::filesystem::rename(path() / "new", path() / file);
    }
    void remove(const std::string& chip_or_file) const { std::filesystem::remove_all(path() / chip_or_file); }
};

}  // namespace gpuminer::test
