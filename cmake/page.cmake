# The browser's page, for a wheel that is built from a checkout (`pip install .`) where `make` has not built the page. A
# package of the sources has it already. Without npm the wheel lacks it, and `tdbg view` says so.
set(page "${CMAKE_CURRENT_SOURCE_DIR}/src/tensordbg/server/page/index.html")
if(SKBUILD_STATE STREQUAL "wheel" AND NOT EXISTS "${page}")
  find_program(NPM npm)
  if(NPM)
    execute_process(COMMAND ${NPM} --prefix web --loglevel=error install --no-save --no-audit --no-fund
      COMMAND_ERROR_IS_FATAL ANY WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    execute_process(COMMAND ${NPM} --prefix web --loglevel=error run build --silent
      COMMAND_ERROR_IS_FATAL ANY WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  else()
    message(WARNING "the browser's page is left out, since it needs npm and Node.js 20.19 or later: install them from nodejs.org")
  endif()
endif()
