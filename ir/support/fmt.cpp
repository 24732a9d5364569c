// The non-template functions of fmt, and its templates that are declared to be instantiated elsewhere.

#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
template void fmt::detail::buffer<char>::append(const char*, const char*);
template fmt::detail::locale_ref::locale_ref(const std::locale&);
template auto fmt::detail::locale_ref::get<std::locale>() const -> std::locale;
