"""The execution of a function of machine code, and what has to be as before at its ends."""
from engine import Engine
from machine import STACK
from program import Refuted


def run_function(machine, entry, arguments, passes, decisions=()):
    """(states at the function's ends, what loops change). `arguments`: numbers, or numbers and vectors; `passes`: see Memory.
    Raises also if the caller's state is changed.
    """
    state = machine.start(entry, machine.inputs, passes)
    state.decisions |= dict(decisions)
    machine.pass_arguments(state, *arguments)
    given = dict(state.memory.cells.get(STACK.parts, {}))
    engine = Engine(machine)
    ends = [end for _, end in engine.run(entry, state)]
    for end in ends:
        above = {at: value for at, value in end.memory.cells.get(STACK.parts, {}).items() if at >= 0}
        if above != given or not machine.is_as_before(end):
            raise Refuted("the caller's registers or its part of the stack are changed")
    if not engine.found_loops():
        machine.end_of_passes(None, [], ends)
    else:
        machine.after_loops(ends)
    return ends, engine.unknowns
