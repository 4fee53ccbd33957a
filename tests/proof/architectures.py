"""The processors that there are readers of machine code for."""
import arm64
import x86

MACHINES = {"x86": x86.Machine, "arm64": arm64.Machine}


def machine(proof, program, *arguments):
    """What a class of a proof makes of the machine that a program is for."""
    return type(proof.__name__, (proof, MACHINES[program.architecture]), {})(program, *arguments)
