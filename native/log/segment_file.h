// One file of the event log, mapped so that what is written there outlives the process.
#pragma once

#include <cstdint>
#include <string>

#include "record.h"

namespace tensordbg {

// Makes `segments/NNNNNN.bin` of so many empty slots in a trace's folder and maps it. Null where that failed: a full
// disk, say; `error` then says why in one line.
Record* map_segment_file(const std::string& folder, std::uint64_t index, std::uint64_t slots, std::string* error);

// Has the pages of so many slots in memory, from the beginning of a page on. One by one, as they are first written, they
// cost a program with many threads ten times as much.
void make_ready(Record* records, std::uint64_t count);

}  // namespace tensordbg
