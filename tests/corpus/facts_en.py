"""English facts as people state them, by setting. `«»` marks what is exact; the word in front is its class.

A line that begins with `~` is a distractor: it looks like a fact or a rule and is none. `=>` joins a value that is
stated first with the statement, later in the session, that replaces it.
"""

CODING = """
path | The limits are read from «/srv/atlas/conf/limits.toml» at startup.
path | Put the new parser into «src/atlas/ingest/parser_v2.py», please.
path | I found the crash dump in «~/dumps/atlas-core.1871».
path | On the Windows runner it sits under «C:\\Build\\atlas\\out\\report.xml».
path | The migration that hurts is «migrations/0042_split_orders.sql».
path | Have a look at «packages/web/src/hooks/useCart.ts» and tell me what you see.
path | Everything temporary goes to «./var/spool/atlas».
path | Our notes are in «docs/adr/007-queue.md» in case you need them.
url | The dashboard is at «https://grafana.atlas.example/d/q8Zk2/latency?from=now-6h» if you want the graph.
url | Staging answers on «pg-stage-7.internal:5433» only.
url | The upstream bug is «https://github.com/example/queue/issues/4821».
url | Ask «oncall@atlas.example» when the pager goes off.
command | You can reproduce it with `«pytest tests/ingest -k "split and not slow" -x»`.
command | I always start it with «docker compose up -d redis worker» before the tests.
command | The release goes out through «make release VERSION=2.14.0» on the build box.
command | To see the lock, run «kubectl get pods -n atlas-prod -o wide» first.
command | Rebuild the index with `«python -m atlas.reindex --shard 3 --dry-run»`.
command | We deploy with «helm upgrade atlas ./charts/atlas --set image.tag=7f3a99c» from CI.
command | The start command is «npm run dev».
code | The bug must be somewhere in «OrderSplitter.rebalance()» I think.
code | Rename «fetch_rows_lazy» to something better.
code | The flag is called «ATLAS_SKIP_WARMUP» in the chart.
code | It only happens when «queue.max_in_flight» is large.
code | The React side calls «useCheckoutState» twice.
number | The p99 limit is «4127 ms» on the old hardware.
number | Each shard holds «1,250,000 rows» at most.
number | The upload cap is «25 MB» per file.
number | We run «12 workers» on each box.
number | Retry after «1.5 s», then give up.
number | The contract says «99.95%» availability.
number | The freeze starts on «2031-02-03» for everybody.
number | The nightly job starts at «02:40» and takes a while.
version | The server runs Postgres «15.6» today.
version | We are stuck on Node «20.11.1» until spring.
version | Pin the client to «redis==5.0.8» for now.
hash | The build id is «7f3a-99» on all hosts.
hash | The last good commit was «9c1e5b7d4a».
hash | The trace of that request is «3f2b8c1e-77aa-4d0b-9e51-0c6d2f4a8b17».
hash | The slow host is «db-eu-3», the others are fine.
hash | The ticket is «ATL-20317» in the tracker.
error | It dies with «TypeError: cannot unpack non-iterable NoneType object» every night.
error | The log says «ECONNRESET» and then nothing.
error | The worker printed «fatal: index.lock exists» before it stopped.
quoted | The button must read "«Place order and pay»" after legal looked at it.
quoted | The banner text is "«Maintenance tonight, back at dawn»" for all languages.
named value | The deploy password is «periwinkle-7».
named value | The project name is «Meridian».
named value | The maintainer is «Henrike Vos».
named value | Call it «Skiff».
named value | The staging user is called «svc_readonly».
named value | My editor is «Helix».
named value | The release branch is «release/2031.1».
named value | Our message broker is «NATS».
rule | «Never push to main without a second pair of eyes».
rule | «Always run the linter before you show me a diff».
rule | «Do not add new dependencies to the worker image».
rule | «All timestamps must be stored in UTC».
rule | «Please never touch the generated files under gen».
rule | «Remember to keep the public API backwards compatible».
rule | «From now on write every commit message in the imperative».
rule | «Don't log customer names, not even in debug builds».
named value | The port is «8081». => Actually the port is «9090», not 8081.
named value | The queue size is «500». => We changed the queue size from 500 to «750».
named value | The owner is «Marta». => The owner is now «Jonas».
named value | The cache backend is «Memcached». => Use «Valkey» instead of Memcached.
~ | I don't know why it fails on Tuesdays.
~ | It always takes a while until the cache is warm.
~ | The weather is nice and/or I am just in a good mood.
~ | Do you remember what we said about that?
~ | There must be a simpler way, don't you think?
~ | The problem is that nobody reads the docs.
~ | The tests never finish when I am in a hurry.
~ | Don't worry about the naming yet.
"""

WRITING = """
named value | The main character is called «Mira Halvorsen».
named value | The villain is «Dr. Okonkwo».
named value | The novel's title is «The Salt Ledger».
named value | The town is «Grimsvik».
named value | The narrator is «Mira's younger brother».
named value | The ship is called «Vesper».
named value | The publisher is «Lindgren & Sons».
named value | The working language is «British English».
named value | The deadline is «March 14, 2032».
named value | The tone is «dry, a little bitter, never sentimental».
number | The first chapter should have about «3,200 words» in the end.
number | Mira is «34 years» old when it begins.
number | The storm lasts «11 days» in the second part.
number | The flashback happens on «October 9th, 1987» in Bergen.
number | The whole book has «28 chapters» at the moment.
number | My advance was «$12,500» before tax.
quoted | The last line of the prologue is "«Nobody weighs salt twice»" and it stays.
quoted | The song she hums is "«Fourteen Herring Boats»" from her childhood.
quoted | The letter begins with "«Dear brother, the ice has let go»" in her hand.
quoted | The tavern is called "«The Drowned Clerk»" in every draft.
path | The manuscript is in «~/writing/salt-ledger/draft-03.docx».
path | My character sheet is «notes/characters.md».
url | The map I used is «https://maps.example/fjords/1890?layer=harbours».
url | Send the proofs to «proofs@lindgren.example».
version | I write in Scrivener «3.3.6» on the laptop.
hash | The contract number is «LS-2031-0457».
rule | «Never use the word suddenly».
rule | «Always keep the present tense in the harbour scenes».
rule | «Do not kill the dog, whatever happens».
rule | «Every chapter must end on an object, not on a thought».
rule | «Remember that Mira cannot swim».
rule | «Don't explain the ledger before chapter nine».
rule | «Make sure the brothers never meet before the fire».
rule | «Dialogue must stay without exclamation marks».
named value | The dog's name is «Pepper». => Actually the dog's name is «Juniper», not Pepper.
named value | The lighthouse keeper is «Anders». => Correction: the lighthouse keeper is «Tobias».
number | We moved the reading from «May 3» to «May 17».
command | I convert it with «pandoc draft-03.docx -o draft-03.epub» at night.
~ | I never liked the second draft much.
~ | It always sounds better aloud.
~ | Do you think she must leave already?
~ | The scene is too long, I guess.
~ | Somehow the harbour reminds me of home.
~ | I don't think the letter works yet.
"""

SUPPORT = """
named value | The customer is «Brightwater Dental».
named value | The account manager is «Priya Nair».
named value | The tenant id is «bw-0093-eu».
named value | The plan is «Business Plus».
named value | Her phone number is «+44 20 7946 0958».
named value | The router model is «NX-4400».
named value | The admin password is «quartz!Lemon42».
named value | The site's time zone is «Europe/Lisbon».
number | The invoice says «€1,349.50» instead of the usual.
number | Their line gives «38 Mbps» in the morning.
number | The outage took «47 minutes» on Monday.
number | They have «63 seats» in three offices.
number | The refund must be there by «2031-04-30» at the latest.
number | The call is tomorrow at «14:30».
number | The limit for exports is «5,000 records» per day.
hash | The ticket is «INC-88213».
hash | The serial on the box is «SN7Q2-44KD-0913».
hash | The failed payment has the id «pay_8Hq3ZrT1».
hash | The old order was «#104577».
url | The status page is «https://status.bright.example/incidents/9f2».
url | Mail the logs to «support+bw@helpdesk.example».
url | The phones register at «sip.bright.example:5061».
path | The client writes its log to «C:\\ProgramData\\Bright\\logs\\agent.log».
path | On the Mac it is «/Library/Logs/Bright/agent.log».
error | The screen shows «Error 0x80070005: Access is denied» after the update.
error | The phones say «SIP 408 Request Timeout» in the display.
error | Their browser prints «ERR_CERT_DATE_INVALID» since Friday.
quoted | The voicemail greeting must say "«We are closed for the holidays»" until January.
quoted | She clicked "«Restore defaults»" and lost the profiles.
version | The desktop client is «v8.2.1» on all machines.
version | The firmware is «4.19.0-rc2» on the new router.
command | I told them to run «ipconfig /flushdns» and reboot.
command | The engineer used `«curl -sv https://api.bright.example/health»` from the server.
rule | «Never call the practice before ten in the morning».
rule | «Always copy the account manager on written answers».
rule | «Do not promise a date for the firmware».
rule | «All refunds must be approved by the second line».
rule | «Please don't mention the other customers by name».
rule | «Remember to offer the credit before the apology».
named value | The contact is «Dr. Hale». => The contact is now «Ms. Ferreira».
named value | The callback time is «9:15». => Sorry, the callback time is «16:45», not 9:15.
named value | The router's address is «192.168.4.1». => The router's address changed from 192.168.4.1 to «10.20.0.1».
~ | They don't understand why it takes so long.
~ | The practice is always busy on Mondays.
~ | I must have clicked something wrong.
~ | It never rains but it pours.
~ | The issue is annoying for everybody.
"""
