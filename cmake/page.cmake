# The browser's page, for a wheel that is built from a checkout (`pip install .`) where `make` has not built the page. A
# package of the sources has it already. Where no Node works that can build it, the wheel lacks it: the build says so and
# goes on, and `tdbg view` says so again.
set(page "${CMAKE_CURRENT_SOURCE_DIR}/src/tensordbg/server/page/index.html")
if(SKBUILD_STATE STREQUAL "wheel" AND NOT EXISTS "${page}")
  find_program(NPM npm)
  set(failed "npm is not here")
  if(NPM)
    set(failed "")
    foreach(step "install;--no-save;--no-audit;--no-fund" "run;build;--silent")
      if(NOT failed)
        execute_process(COMMAND "${NPM}" --prefix web --loglevel=error ${step}
          RESULT_VARIABLE code WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
        if(NOT code EQUAL 0)
          list(GET step 0 word)
          set(failed "`npm ${word}` ended with ${code}")
        endif()
      endif()
    endforeach()
  endif()
  if(failed OR NOT EXISTS "${page}")
    message(WARNING "the browser's page is left out, since ${failed}; all but `tdbg view` and saved pages works without it. "
      "Install npm and Node.js 20.19 or later from nodejs.org, and build again.")
  endif()
endif()
