; OAM reads FF while DMA writes it
;
; While OAM DMA runs, it occupies the bus its source is on. OAM reads FF meanwhile. (Pan Docs, "OAM
; DMA Transfer"; mooneye acceptance/oam_dma)

Test:
        INCLUDE "dma_setup.inc"
        LD A, $C1 :: CALL $FF80
        LD A, C :: CHECK $FF
        LD A, E :: CHECK $77
        INCLUDE "dma_routine.inc"
