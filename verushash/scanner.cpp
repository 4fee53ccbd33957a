#include "verushash/scanner.hpp"

#include <algorithm>

namespace gpuminer::verushash {
namespace {

/// One more than fits into the candidates: then they overflow.
constexpr std::size_t kRoom = Candidates::kCapacity + 1;

}  // namespace

Scanner::Scanner(const FastForm& form)
    : form_(form),
      job_(std::make_unique<PreparedJob>()),
      workspace_(::operator new (form.workspace_bytes(), std::align_val_t{alignof(PreparedJob)})),
      found_(std::make_unique<Candidate[]>(kRoom)) {}

void Scanner::set_header(const Header& header) {
    form_.absorb(canonical_form(header).bytes.data(), *job_);
    form_.make_key(*job_);
    form_.reset_workspace(workspace_.get(), *job_);
}

void Scanner::scan(NonceRange range, std::uint32_t target_top, Candidates& candidates) {
    ScanArguments arguments{job_.get(), workspace_.get(), target_top, range.first, range.count, found_.get(), kRoom, 0};
    form_.scan(arguments);
    for (std::size_t i = 0; i < std::min(arguments.found, kRoom); ++i) candidates.push(found_[i]);
}

}  // namespace gpuminer::verushash
