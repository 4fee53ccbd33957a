#include "cpu/isa.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "cpu/machine/upper_halves.hpp"

namespace gpuminer::cpu {
namespace {

constexpr std::array kFacts = {
#define GPUMINER_ISA(name, title, lanes, vocabulary) IsaFacts{#name, title, lanes, Vocabulary::vocabulary},
#include "cpu/isa_list.inc"
};

std::vector<Isa> first_forms() {
    std::vector<Isa> first;
    for (const Isa& form : kIsaForms) {
        if (first.empty() || std::string_view(first.back().name) != form.name) first.push_back(form);
    }
    return first;
}

}  // namespace

std::span<const IsaFacts> isa_facts() { return kFacts; }

const IsaFacts* facts_of(std::string_view name) {
    const auto* const found = std::ranges::find(kFacts, name, &IsaFacts::name);
    return found == kFacts.end() ? nullptr : found;
}

std::span<const Isa> isa_forms() { return kIsaForms; }

std::span<const Isa> isas() {
    static const std::vector<Isa> first = first_forms();
    return first;
}

const Isa* find_isa(std::string_view name) {
    const auto* const found = std::ranges::find(kIsaForms, name, &Isa::name);
    return found == std::end(kIsaForms) ? nullptr : found;
}

const Isa* find_form(std::string_view name, std::string_view description) {
    const auto* const found = std::ranges::find_if(
        kIsaForms, [&](const Isa& form) { return form.name == name && form.description == description; });
    return found == std::end(kIsaForms) ? nullptr : found;
}

std::vector<const Isa*> usable_forms(std::string_view isa, const Features& features) {
    std::vector<const Isa*> forms;
    std::string_view name;
    unsigned number = 0;
    for (const Isa& form : isa_forms()) {
        number = name == form.name ? number + 1 : 1;
        name = form.name;
        const bool wanted = isa == "auto" || isa == name || isa == std::string(name) + ":" + std::to_string(number);
        if (wanted && usable(form, features)) forms.push_back(&form);
    }
    return forms;
}

ScanOutcome scan(const Isa& isa, const Sha256dJob& job, NonceRange range, std::span<Candidate> candidates) {
    ScanArguments arguments{};
    arguments.midstates = job.midstates().front().data();
    arguments.tail = job.tail().data();
    arguments.job_words = job.job_words().data();
    if (job.rolled()) {
        arguments.version_words = job.version_words(0).data();
        arguments.version_stride = job.version_words(0).size();
    }
    arguments.versions = static_cast<std::uint32_t>(job.versions().size());
    arguments.target_top = job.target_top();
    arguments.sieve_mask = job.sieve_mask();
    arguments.first_nonce = range.first;
    arguments.count = range.count;
    arguments.candidates = candidates.data();
    arguments.capacity = candidates.size();
    clear_upper_halves();
    isa.scan(arguments);
    return {arguments.found, arguments.scanned_by};
}

}  // namespace gpuminer::cpu
