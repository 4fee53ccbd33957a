// The words of the command line and of the configuration file under it, sorted out by CLI11: which command,
// which options with which texts. What the texts mean is for options.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpuminer {

enum class Command { kMine, kGrind, kVerify, kDevices, kExplain };

class Arguments {
public:
    /// Throws InputError for what it does not know, for options that mean nothing to the command, and for
    /// several targets at once.
    Arguments(int argc, const char* const* argv);
    ~Arguments();
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    /// Empty: none was given.
    [[nodiscard]] std::optional<Command> command() const { return command_; }
    /// An option's value by its long name ("--start"), or "HEADER"; empty: not given.
    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    [[nodiscard]] bool flag(const std::string& name) const;
    /// The help for the command, or for the whole program.
    [[nodiscard]] std::string help() const;

private:
    void define();
    void parse(int argc, const char* const* argv);
    void refuse_unknown() const;
    void refuse_meaningless() const;
    void refuse_conflicts() const;
    void read_config(const std::string& path);
    [[nodiscard]] CLI::Option* find(const std::string& name) const;

    std::unique_ptr<CLI::App> app_;
    std::optional<Command> command_;
};

}  // namespace gpuminer
