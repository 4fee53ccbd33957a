// Sandbox of a process that talks to strangers: the kernel refuses it the calls that it never needs (seccomp).
#pragma once

namespace gpuminer {

/// From here on no thread of this process, nor one to come, may start a program or a process, look into other
/// processes, load code into the kernel, change mounts or namespaces, open sockets but those of the Internet and of
/// local services, or type into the user's terminal: such calls fail. Files and connections are as they were. For good.
/// False: the kernel or the machine's architecture has no such filter, or this program was built with a sanitizer that
/// needs these.
[[nodiscard]] bool enter_sandbox();

}  // namespace gpuminer
