// The command line, the environment and the configuration file as texts: the command, and its options with their values
// (by CLI11). options.cpp gives the texts their meaning.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpuminer {

enum class FileKind;
enum Group : unsigned;
struct OptionRow;
struct TomlEntry;
enum class Command {
    kMine,
    kGrind,
    kVerify,
    kPool,
    kSolo,
    kBench,
    kCompare,
    kDevices,
    kExplain,
    kJournal,
    kConfig,
    kPair,
    kStatus,
    kPause,
    kResume
};

class Arguments {
public:
    /// Throws InputError for what it does not know, for options that mean nothing to the command, and for
    /// several targets at once. `default_files`: configuration files to read if they exist, and unless the command line
    /// names one or says --no-config; what an earlier one gives prevails. `help [COMMAND]` and `version` are read as
    /// --help and --version; without a command, a pool's URL (-o) means `pool`, as on the command lines of other
    /// miners.
    Arguments(int argc, const char* const* argv, const std::vector<std::string>& default_files = {});
    /// The words after the program's name alone: neither environment nor configuration files, to try what options take.
    explicit Arguments(std::vector<std::string> words);
    ~Arguments();
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    /// Empty: none was given.
    [[nodiscard]] std::optional<Command> command() const { return command_; }
    /// An option's value by its long name ("--start"), or "HEADER"; empty: not given.
    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    /// All values of an option that may be repeated, as they came.
    [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
    struct NamedText {
        std::string name;  ///< "--url"
        std::string text;
    };
    /// The options of a group with their values: those of the environment, then those of the command line in its order.
    /// What only the configuration file gives follows: the first of each option, then the second of each, …
    [[nodiscard]] std::vector<NamedText> in_order(Group group) const;
    /// What follows a command that takes several operands: bench (workloads), compare and journal (files).
    [[nodiscard]] std::vector<std::string> operands() const;
    [[nodiscard]] bool flag(const std::string& name) const;
    /// bench: the file that --json names; then it is no flag. Empty: none.
    [[nodiscard]] const std::optional<std::string>& json_file() const { return json_file_; }
    /// Values on the command line that are or hold passwords (not "x", which many pools want).
    [[nodiscard]] const std::vector<std::string>& secrets() const { return secrets_; }
    /// What the user of pool or solo is to be told of passwords that others may see, a sentence each.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    /// All arguments as they came, with blanks between them.
    [[nodiscard]] const std::string& command_line() const { return command_line_; }
    /// Where a file or the environment has the value from that a message complains about: " (configuration file 'x',
    /// line 3)", " (GPUMINER_THREADS)". Empty: the command line. `message` begins with the option's name and a colon.
    [[nodiscard]] std::string origin(std::string_view message) const;
    /// The help for the command, or for the whole program.
    [[nodiscard]] std::string help() const;

    // For the command `config`:

    struct Setting {
        const OptionRow* row = nullptr;
        std::vector<std::string> values;  ///< of a flag "true" or "false"
        std::string origin;               ///< as origin() has it, without brackets; empty: the command line
    };
    /// What is in force, in the table's order, but for options that mean something on the command line alone.
    [[nodiscard]] std::vector<Setting> settings() const;
    struct Complaint {
        std::string source;  ///< one of config_files(), or a variable
        unsigned line = 0;   ///< of a file; 0: all of it
        std::string sentence;
    };
    /// What is wrong with the environment and with each line of the configuration files. All other commands throw the
    /// first instead.
    [[nodiscard]] const std::vector<Complaint>& complaints() const { return complaints_; }
    /// Those that were read, as messages name them.
    [[nodiscard]] const std::vector<std::string>& config_files() const { return config_files_; }
    /// Whether configuration files are to be read where there are some.
    [[nodiscard]] bool reads_config() const;

private:
    struct Given;

    void define();
    void parse(std::vector<std::string> words);
    void sort_out_json_file();
    void refuse_unknown() const;
    void refuse_meaningless() const;
    void refuse_conflicts() const;
    void limit_input() const;
    void note_secrets();
    void read_environment();
    void read_config_files(const std::vector<std::string>& default_files);
    void read_config(const std::string& path, FileKind kind);
    void take(const TomlEntry& item, const Given& before, const std::string& source);
    void check_values(const OptionRow& row, const std::vector<std::string>& values, const std::string& source,
                      unsigned line);
    void complain(const std::string& source, unsigned line, const std::string& sentence);
    [[nodiscard]] Given given() const;
    [[nodiscard]] bool is_config(std::string_view what) const;
    [[nodiscard]] bool is_left_alone() const;
    [[nodiscard]] unsigned groups() const;
    [[nodiscard]] CLI::Option* find(const std::string& name) const;

    std::unique_ptr<CLI::App> app_;
    std::optional<Command> command_;
    std::string command_line_;
    std::vector<const CLI::Option*> of_environment_;     ///< have their value from there
    std::map<const CLI::Option*, std::string> origins_;  ///< of values that are not from the command line
    std::vector<std::string> secrets_;
    std::vector<std::string> warnings_;
    std::vector<std::string> config_files_;
    std::vector<Complaint> complaints_;
    std::optional<std::string> json_file_;
    std::optional<std::string> operand_after_json_;  ///< a workload's name: no file
};

}  // namespace gpuminer
