"""The server of the browser's page: the answers of `wire.view` over HTTP, and the page itself."""
