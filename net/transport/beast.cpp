// Boost.Beast's own code (BOOST_BEAST_SEPARATE_COMPILATION), compiled once for the whole program.
#include <utility>  // Asio 1.74 uses std::exchange without it

#include <boost/beast/src.hpp>
