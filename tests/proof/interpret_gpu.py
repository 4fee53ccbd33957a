"""The interpreter of interpret.py for the kernels of GPUs."""
import gpu
import interpret
import spirv
import terms


class _OnNumbers:
    def __init__(self, module, tables, rolled, numbers):
        super().__init__(module, tables, rolled)
        self.numbers = numbers

    def inputs(self, address, size):
        return self.numbers.of(super().inputs(address, size))

    def register(self, name):
        return self.numbers(("register", name))

    def decided(self, state, asked, truth):
        interpret.decided(asked)


class _Kernel(_OnNumbers, gpu.Kernel):
    def number_of_thread(self):
        return self.register("%ctaid.x") * self.register("%ntid.x") + self.register("%tid.x")

    def _value(self, state, text):
        value = super()._value(state, text)
        return self.numbers.of(value) if isinstance(value, int) and terms.node(value)[1] == "register" else value


class _Shader(_OnNumbers, gpu.Shader):
    def number_of_thread(self):
        group = self.register("WorkgroupId.y") * self.register("NumWorkgroups.x") + self.register("WorkgroupId.x")
        return group * self.register(spirv.GROUP) + self.register("LocalInvocationId.x")

    def declared(self, known, each):
        super().declared(known, each)
        if isinstance(known.get(each.result), int):
            known[each.result] = self.numbers.of(known[each.result])

    @staticmethod
    def _is_within(*_):
        return True

    def own(self, index):
        return terms.value(index)  # in a place of its own, too


def kernel(module, tables, rolled, rng):
    """(the word that a thread tests first, the textbook's)."""
    kind = _Shader if isinstance(module, spirv.Module) else _Kernel
    given = {("first nonce",): rng.getrandbits(30), ("count",): 1 << 20, ("versions",): 2,
             **{("register", name): rng.randrange(1, 64) for name in (
                 "%ctaid.x", "%ntid.x", "%tid.x", spirv.GROUP, "NumWorkgroups.x", "WorkgroupId.x", "WorkgroupId.y",
                 "LocalInvocationId.x")}}
    numbers = interpret.Numbers(rng, given)
    machine = kind(module, tables, rolled, numbers)
    tested = interpret.tested(machine, 0, machine.start(machine.inputs, 1))
    nonce = numbers(("first nonce",)) + machine.number_of_thread()
    midstate = [numbers(name) for name in interpret.midstate_names(rolled, kind.first_version)]
    return tested, [interpret.top_word(numbers, nonce, midstate)]
