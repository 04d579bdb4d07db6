"""`python -m graphwright_upgrade_server` is the command `graphwright-upgrade-server`."""

from graphwright_upgrade_server.serving import main

raise SystemExit(main())
