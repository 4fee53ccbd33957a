// The own code of Boost.Asio and Boost.Beast (BOOST_ASIO_SEPARATE_COMPILATION, BOOST_BEAST_SEPARATE_COMPILATION),
// compiled once for the whole program.
#include <utility>  // Asio 1.74 uses std::exchange without it

#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
