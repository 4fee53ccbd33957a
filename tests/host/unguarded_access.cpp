// A class with a data race, which clang has to refuse: the proof that the annotations of host/mutex.hpp are checked.
#include "host/mutex.hpp"

class Counter {
public:
    void add() { ++value_; }

private:
    gpuminer::Mutex mutex_;
    int value_ GPUMINER_GUARDED_BY(mutex_) = 0;
};

int main() { Counter().add(); }
